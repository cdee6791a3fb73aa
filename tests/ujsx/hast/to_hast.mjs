// Reads a JSON list of mdast trees from standard input, writes the list of their hast trees.
import {readFileSync} from 'node:fs'
import {toHast} from 'mdast-util-to-hast'

const trees = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(
  JSON.stringify(trees.map((tree) => toHast(tree, {allowDangerousHtml: true})))
)
