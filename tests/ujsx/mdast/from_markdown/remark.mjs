// Reads a JSON array of documents from standard input; writes remark's tree of each.
import {readFileSync} from 'node:fs'
import {fromMarkdown} from 'mdast-util-from-markdown'
import {frontmatterFromMarkdown} from 'mdast-util-frontmatter'
import {gfmFromMarkdown} from 'mdast-util-gfm'
import {frontmatter} from 'micromark-extension-frontmatter'
import {gfm} from 'micromark-extension-gfm'

const options = {
  extensions: [gfm(), frontmatter()],
  mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown()]
}
const documents = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(documents.map((text) => fromMarkdown(text, options))))
