import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import TurndownService from 'turndown'
import { htmlToMarkdown } from '../../packages/server/src/interfaces/web/islands/editor/html-to-markdown.ts'
import { withoutStyles } from '../../packages/server/src/interfaces/web/islands/editor/prepare-html.ts'

const folder = new URL('./clipboards/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

/** A document outside browsers: the one that the library parses. */
function parse(html: string): Document {
  let document: Document | undefined
  const parser = new TurndownService().addRule('document', {
    filter(node) {
      document ??= node.ownerDocument
      return false
    },
    replacement: (text) => text,
  })
  parser.turndown('<p>x</p>')
  assert.ok(document)
  document.body.innerHTML = html
  return document
}

/** What programs put on the clipboard is in `clipboards`, each beside the Markdown that it becomes. */
for (const name of readdirSync(folder).filter((each) => each.endsWith('.html'))) {
  test(`the clipboard ${name.slice(0, -5)} becomes its Markdown`, () => {
    const markdown = htmlToMarkdown(parse(withoutStyles(read(name))))
    assert.equal(`${markdown}\n`, read(name.replace('.html', '.md')))
  })
}
