// Cuts prioritized chunks to a token budget with vscode-prompt-tsx. Reads {items, budget} from
// standard input; prints {ms: [...], tokens, kept}: milliseconds of processor time, those of V8's
// own threads included. Tokens are characters over four, rounded up.
const { PromptElement, PromptRenderer, OutputMode, UserMessage, TextChunk } = require("@vscode/prompt-tsx");

const count = (text) => Math.ceil(text.length / 4);
const text = (message) => message.content.map((part) => part.text ?? "").join("");
const tokenizer = {
  mode: OutputMode.Raw,
  tokenLength: (part) => count(part.text ?? ""),
  countMessageTokens: (message) => count(text(message)),
};

class Prompt extends PromptElement {
  render() {
    const chunks = this.props.items.map((item, place) =>
      vscpp(TextChunk, { priority: place + 1 }, item + "\n\n"),
    );
    return vscpp(UserMessage, null, ...chunks);
  }
}

async function main() {
  const { items, budget } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const ms = [];
  let messages = [];
  for (let turn = 0; turn < 2; turn++) {
    const start = process.cpuUsage();
    const endpoint = { modelMaxPromptTokens: budget };
    const renderer = new PromptRenderer(endpoint, Prompt, { items }, tokenizer);
    messages = (await renderer.render()).messages;
    const { user, system } = process.cpuUsage(start);
    ms.push((user + system) / 1000);
  }
  const tokens = messages.reduce((sum, message) => sum + count(text(message)), 0);
  const kept = messages.map(text).join("").split("\n\n").filter((chunk) => chunk).length;
  console.log(JSON.stringify({ ms, tokens, kept }));
}

main();
