// What every TypeScript client must see, whatever its version and transport.
import assert from "node:assert/strict";

export async function check(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes("vault_health_check"), "health_check is listed");
  assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations), "schemas and annotations");

  const health = await client.callTool({ name: "vault_health_check", arguments: {} });
  assert.equal(health.structuredContent.success, true);
  assert.deepEqual(JSON.parse(health.content[0].text), health.structuredContent);

  // A client that validates errors against the output schema must still show them.
  const refused = await client.callTool({ name: "todo_list_tasks", arguments: { user: "nobody" } });
  assert.equal(refused.isError, true);
  assert.equal(JSON.parse(refused.content[0].text).error, "unauthorized");

  await assert.rejects(
    client.callTool({ name: "context_get_task_dependencies", arguments: { id: "zzzzzz" } }),
    (error) => error.code === 1001 && typeof error.data === "object",
  );
  await assert.rejects(
    client.callTool({ name: "vault_helth_check", arguments: {} }),
    (error) => error.code === -32602 && /vault_health_check/.test(error.message),
  );

  const created = await client.callTool({ name: "context_create_task", arguments: { title: "From a client" } });
  assert.match(created.structuredContent.id, /^[a-z0-9]{6}$/);
  const listed = await client.callTool({ name: "context_list_tasks", arguments: {} });
  assert.deepEqual(JSON.parse(listed.content[0].text), listed.structuredContent.result);
  return names.length;
}
