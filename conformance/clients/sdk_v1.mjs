// The 1.x line of the TypeScript SDK, which many clients still embed.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { check } from "./checks.mjs";
import { tell } from "./scenario.mjs";

const [kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(first))
    : new StdioClientTransport({ command: first, args: rest, stderr: "inherit" });
const client = new Client({ name: "sdk-v1", version: "1" });
await client.connect(transport);
if (process.env.SCENARIO) {
  console.log(await tell(client, process.env.SCENARIO));
} else {
  const tools = await check(client);
  console.log(`${tools} tools, server ${client.getServerVersion().name}`);
}
await client.close();
