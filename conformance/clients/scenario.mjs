// Calls every step of a scenario and prints what this client gave its user, as JSON.
import { readFileSync } from "node:fs";

export async function tell(client, file) {
  const answers = [];
  for (const [name, args] of JSON.parse(readFileSync(file, "utf8"))) {
    try {
      answers.push({ result: await client.callTool({ name, arguments: args }) });
    } catch (error) {
      // Both lines put the number and a prefix into the message they show.
      const message = error.message.replace(/^MCP error -?\d+: /, "");
      answers.push({ error: { code: error.code, message, ...(error.data && { data: error.data }) } });
    }
  }
  return JSON.stringify(answers);
}
