import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import ts from '@typescript/typescript6'
import { sql } from 'kysely'
import { autocommit, type Db, read, write } from '../packages/server/src/platform/database/database.ts'
import { inTransaction } from '../packages/server/src/platform/database/transaction.ts'

const src = resolve(import.meta.dirname, '../packages')
const WRITES = /\b(insert\s+into|update\s+\w+\s+(\w+\s+)?set|delete\s+from|for\s+(no\s+key\s+)?update|for\s+share)\b/i
const BUILDERS = /\.(insertInto|updateTable|deleteFrom)\(/

/** Never run: `npm run types` is the test. */
export async function typeTest(db: Db): Promise<void> {
  const insert = write('test_insert', (a: { name: string }) => sql`insert into event (kind) values (${a.name})`)
  // @ts-expect-error a write does not run on a handle that reads
  await insert.first(db, { name: 'a' })
  // @ts-expect-error nor all of its rows
  await insert.all(db, { name: 'a' })
  // @ts-expect-error a pipelined write needs a transaction
  await insert.enqueue(autocommit(db), { name: 'a' })
  await insert.first(autocommit(db), { name: 'a' })
  await inTransaction({ db }, async (tx) => insert.enqueue(tx.db, { name: 'a' }))
}

test('read() throws for a statement that writes', () => {
  assert.throws(() => read('test_read', () => sql`with e as (delete from event returning 1) select * from e`), /writes/)
  assert.throws(() => read('test_read', () => sql`select id from page for update`), /writes/)
})

test('a function that writes takes a transaction or an autocommit handle, not any Db', () => {
  const wrong: string[] = []
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(isSource)) {
    const text = readFileSync(join(src, file), 'utf8')
    if (!WRITES.test(text) && !BUILDERS.test(text)) continue
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true), [], wrong)
  }
  assert.deepEqual(wrong, [])
})

function isSource(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts')
}

function visit(node: ts.Node, functions: readonly ts.SignatureDeclaration[], wrong: string[]): void {
  if (ts.isFunctionLike(node)) functions = [...functions, node]
  const handle = handleOf(node)
  const type = handle && typeOfHandle(handle, functions)
  if (
    handle &&
    type &&
    /\bDb\b|\bCtx\b|\bRuntime\b/.test(type) &&
    !/Transaction|Autocommit|WriteDb|\bTx\b/.test(type)
  ) {
    const source = node.getSourceFile()
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    wrong.push(`packages/${source.fileName}:${line + 1} ${handle}: ${type}`)
  }
  ts.forEachChild(node, (child) => visit(child, functions, wrong))
}

/** The handle on which a writing statement is run: `db` of sql`...`.execute(db), queryRows(db)`...` or db.insertInto(...). */
function handleOf(node: ts.Node): string | undefined {
  if (ts.isTaggedTemplateExpression(node) && ts.isCallExpression(node.tag) && WRITES.test(node.template.getText())) {
    return /^(queryRows?|hasRows)$/.test(node.tag.expression.getText()) ? node.tag.arguments[0]?.getText() : undefined
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  const { expression, name } = node.expression
  if (name.text === 'execute' && ts.isTaggedTemplateExpression(expression) && WRITES.test(expression.getText())) {
    return node.arguments[0]?.getText()
  }
  if (/^(insertInto|updateTable|deleteFrom)$/.test(name.text)) return expression.getText()
  return undefined
}

/** The type that a parameter declares for `db`, `tx.db` or `lease.db`. */
function typeOfHandle(handle: string, functions: readonly ts.SignatureDeclaration[]): string | undefined {
  const root = handle.split('.')[0]
  for (const { parameters } of functions.toReversed()) {
    const parameter = parameters.find(({ name }) => new RegExp(`\\b${root}\\b`).test(name.getText()))
    if (parameter) return parameter.type?.getText()
  }
  return undefined
}
