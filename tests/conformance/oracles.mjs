// Answers requests, one JSON object a line: {job, gfm, items} in, {results} or {error} out.
// An item that a job cannot do has null for its result.
import {createInterface} from 'node:readline'
import {HtmlRenderer, Parser} from 'commonmark'
import {fromMarkdown} from 'mdast-util-from-markdown'
import {frontmatterFromMarkdown, frontmatterToMarkdown} from 'mdast-util-frontmatter'
import {gfmFromMarkdown, gfmToMarkdown} from 'mdast-util-gfm'
import {toMarkdown} from 'mdast-util-to-markdown'
import {micromark} from 'micromark'
import {format} from 'prettier'
import {frontmatter} from 'micromark-extension-frontmatter'
import {gfm, gfmHtml} from 'micromark-extension-gfm'

// In finished text remark looks for autolink literals a second time, and finds what no reader of GFM
// links in HTML, its own among them.
const withoutTransforms = gfmFromMarkdown().map((extension) => ({...extension, transforms: []}))

const reading = (isGfm) =>
  isGfm
    ? {
        extensions: [gfm(), frontmatter()],
        mdastExtensions: [...withoutTransforms, frontmatterFromMarkdown()]
      }
    : {}
const writing = (isGfm) => (isGfm ? {extensions: [gfmToMarkdown(), frontmatterToMarkdown()]} : {})
const html = (isGfm, allowDangerousHtml) => ({
  allowDangerousHtml,
  allowDangerousProtocol: true,
  ...(isGfm ? {extensions: [gfm()], htmlExtensions: [gfmHtml()]} : {})
})
const commonmark = (safe) => (text) =>
  new HtmlRenderer({safe}).render(new Parser().parse(text))
const read = (isGfm) => (text) => fromMarkdown(text, reading(isGfm))
const write = (isGfm) => (tree) => toMarkdown(tree, writing(isGfm))

// Raw HTML is left out or escaped in what a `skeleton` job gives: its tags are all Markdown's.
const jobs = {
  'commonmark.js html': () => commonmark(false),
  'commonmark.js skeleton': () => commonmark(true),
  'micromark html': (isGfm) => (text) => micromark(text, html(isGfm, true)),
  'micromark skeleton': (isGfm) => (text) => micromark(text, html(isGfm, false)),
  prettier: () => (text) =>
    format(text, {parser: 'markdown', embeddedLanguageFormatting: 'off'}),
  'remark read': read,
  'remark write': write,
  'remark format': (isGfm) => (text) => write(isGfm)(read(isGfm)(text)),
  'remark round trip': (isGfm) => (tree) => read(isGfm)(write(isGfm)(tree))
}

const attempt = (job) => async (item) => {
  try {
    return await job(item)
  } catch {
    return null
  }
}

const inTurn = async (items, job) => {
  const results = []
  for (const item of items) results.push(await job(item))
  return results
}

for await (const line of createInterface({input: process.stdin})) {
  const {job, gfm: isGfm, items} = JSON.parse(line)
  const answer = Object.hasOwn(jobs, job)
    ? {results: await inTurn(items, attempt(jobs[job](isGfm)))}
    : {error: `there is no job "${job}"; jobs: ${Object.keys(jobs).join(', ')}`}
  process.stdout.write(JSON.stringify(answer) + '\n')
}
