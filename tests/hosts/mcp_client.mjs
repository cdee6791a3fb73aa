// Drives a server with the official client for TypeScript, and prints what it saw as JSON.
//
// node mcp_client.mjs MODULES ERA COMMAND [ARGUMENT …]
// node mcp_client.mjs MODULES ERA http://… TOKEN SESSION
//   MODULES: the folder in which the client is installed; ERA: "legacy" or "auto".
// Standard input: lines of commands to run beside the server, for what other processes record.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, era, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
const isHttp = command.startsWith("http:");

const client = new Client(
  { name: "tests", version: "1" },
  { capabilities: {}, versionNegotiation: { mode: era } },
);
const headers = { Authorization: `Bearer ${args[0]}`, "Ujsx-Session": args[1] };
const transport = isHttp
  ? new StreamableHTTPClientTransport(new URL(command), { requestInit: { headers } })
  : new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
await client.connect(transport);

const seen = { era };
const tools = (await client.listTools()).tools;
seen.tools = Object.fromEntries(
  tools.map((each) => [each.name, {
    title: each.title ?? null,
    reads: each.annotations?.readOnlyHint ?? null,
    output: each.outputSchema?.type ?? null,
  }]),
);

const call = async (name, given) => {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: given });
  return { text: content[0].text, isError: Boolean(isError), data: structuredContent ?? null };
};

seen.added = await call("hud", { op: "remedies.add", what: "Port 8080", outcome: "worked" });
seen.mended = await call("hud", { call: '{"op": "remedies.add", "what": "Port 9090",}' });
seen.refused = await call("hud_read", { op: "remedies.add", what: "a" });
seen.read = await call("hud_read", { op: "remedies.list" });
seen.history = await call("hud_read", { op: "history" });
seen.price = await call("price", { order: "A-7" });
seen.broken = await call("price", {});

const resources = (await client.listResources()).resources;
seen.resources = resources.map((each) => each.uri);
seen.templates = (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate);
const hud = resources.find((each) => each.uri.endsWith("/markdown")).uri;
seen.hud = (await client.readResource({ uri: hud })).contents[0].text;
seen.completed = (await client.complete({
  ref: { type: "ref/resource", uri: seen.templates[0] },
  argument: { name: "id", value: isHttp ? "shop/t-4" : "t-4" },
})).completion.values;
seen.prompts = (await client.listPrompts()).prompts.map((each) => each.name);
seen.prompt = (await client.getPrompt({ name: seen.prompts[0] })).messages[0].content.text;

const told = new Promise((resolve) => {
  client.setNotificationHandler("notifications/resources/updated", (said) => resolve(said.params.uri));
});
if (era === "legacy" && isHttp) await client.subscribeResource({ uri: hud }).catch((error) => { seen.unsubscribed = error.message; });
else if (era === "legacy") await client.subscribeResource({ uri: hud });
else await client.listen({ resourceSubscriptions: [hud] });
let input = "";
for await (const part of process.stdin) input += part;
for (const line of input.trim().split("\n")) spawnSync("sh", ["-c", line], { stdio: "ignore" });
const late = new Promise((resolve) => setTimeout(() => resolve(null), seen.unsubscribed ? 0 : 10_000));
seen.updated = (await Promise.race([told, late])) === hud;
seen.hudAfter = (await client.readResource({ uri: hud })).contents[0].text;

console.log(JSON.stringify(seen));
await client.close();
process.exit(0);
