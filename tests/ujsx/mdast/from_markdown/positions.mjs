// Writes positions/remark.json: the place of every node of remark's trees of the documents beside it.
// Run it in a folder where npm has installed what remark.mjs imports, with this folder as an argument.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fromMarkdown} from 'mdast-util-from-markdown'
import {frontmatterFromMarkdown} from 'mdast-util-frontmatter'
import {gfmFromMarkdown} from 'mdast-util-gfm'
import {frontmatter} from 'micromark-extension-frontmatter'
import {gfm} from 'micromark-extension-gfm'

const withoutTransforms = gfmFromMarkdown().map((extension) => ({...extension, transforms: []}))
const options = {
  extensions: [gfm(), frontmatter()],
  mdastExtensions: [...withoutTransforms, frontmatterFromMarkdown()]
}
const place = ({line, column, offset}) => [line, column, offset]
const places = (node) => [
  [node.type, ...place(node.position.start), ...place(node.position.end)],
  ...(node.children ?? []).flatMap(places)
]
const folder = join(process.argv[2], 'positions')
const names = readdirSync(folder).filter((name) => name.endsWith('.md')).sort()
const found = names.map((name) => [
  name,
  places(fromMarkdown(readFileSync(join(folder, name), 'utf8'), options))
])
const lines = found.map(
  ([name, rows]) => `"${name}": [\n${rows.map((row) => '  ' + JSON.stringify(row)).join(',\n')}\n]`
)
writeFileSync(join(folder, 'remark.json'), `{\n${lines.join(',\n')}\n}\n`)
