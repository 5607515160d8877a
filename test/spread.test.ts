import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from '@typescript/typescript6'

const ROOT = join(import.meta.dirname, '..')

/** Spreads into arguments whose number is small, whatever anybody sends. */
const BOUNDED = new Set([
  // Pairs of positions.
  'a.slice(...run.a)',
  'words.slice(...run[side])',
  // The arguments that the function was called with.
  'query.call(this, { name, text, values }, ...rest)',
  'applyEdits(...args)',
  // The arguments of a job.
  'run(...(input as readonly unknown[] as never[]))',
  // The parameters of an operation.
  'send(...parameters)',
  '(await this.toPrimary()).streamQuery<R>(...args)',
  // The parameters of a statement.
  'sql<Row>(text, ...values)',
  'sql(text, ...values)',
  'queryValues<Value>(db)(text, ...values)',
  'sql<Record<string, Value>>(text, ...values)',
  // The arguments of a job of the Markdown workers.
  'run(...(input as readonly unknown[] as never[]))',
  // The segments of a screen's URL.
  'joined(ADMIN, screen, ...rest)',
  // The bytes of one number.
  'bytes.push(...gap)',
  // The buttons of an upload.
  "element('span', { class: 'buttons' }, ...buttons)",
  // Elements of a toolbar, and of a list of some suggestions.
  'newElement.append(...children)',
  'list.replaceChildren(...matches.map(option))',
])
/** The toolbar itself: one element a format. */
const BOUNDED_FILES = new Set(['packages/server/src/interfaces/web/islands/editor/toolbar.ts'])

test('no array of unbounded length is spread into arguments, which would overflow the stack', () => {
  const found: string[] = []
  for (const file of globSync('packages/**/*.ts', { cwd: ROOT })) {
    if (file.endsWith('.test.ts') || BOUNDED_FILES.has(file)) continue
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && node.arguments?.some(ts.isSpreadElement)) {
        const text = node.getText(source)
        if (!BOUNDED.has(text)) found.push(`${file}: ${text}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  assert.deepEqual(found, [])
})
