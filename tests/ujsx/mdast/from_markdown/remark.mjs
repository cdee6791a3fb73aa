// Reads a JSON array of documents from standard input; writes remark's tree of each.
import {readFileSync} from 'node:fs'
import {fromMarkdown} from 'mdast-util-from-markdown'
import {frontmatterFromMarkdown} from 'mdast-util-frontmatter'
import {gfmFromMarkdown} from 'mdast-util-gfm'
import {frontmatter} from 'micromark-extension-frontmatter'
import {gfm} from 'micromark-extension-gfm'

// In finished text remark looks for autolink literals a second time, and finds what no reader of GFM
// links in HTML, its own among them.
const withoutTransforms = gfmFromMarkdown().map((extension) => ({...extension, transforms: []}))

const options = {
  extensions: [gfm(), frontmatter()],
  mdastExtensions: [...withoutTransforms, frontmatterFromMarkdown()]
}
const documents = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(documents.map((text) => fromMarkdown(text, options))))
