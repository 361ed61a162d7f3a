// The 2.x line of the TypeScript client, in the handshake era and in the stateless one.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check } from "./checks.mjs";
import { tell } from "./scenario.mjs";

const [mode, kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(first))
    : new StdioClientTransport({ command: first, args: rest, stderr: "inherit" });
const client = new Client({ name: "client-v2", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
if (process.env.SCENARIO) {
  console.log(await tell(client, process.env.SCENARIO));
} else {
  const tools = await check(client);
  console.log(`${tools} tools, ${mode}`);
}
await client.close();
