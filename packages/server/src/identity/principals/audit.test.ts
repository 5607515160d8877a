import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AUDIT_ACTIONS } from './audit.ts'

test('the table in docs/api.md lists exactly the actions of the audit log, in the same order', () => {
  const text = readFileSync(new URL('../../../../../docs/api.md', import.meta.url), 'utf8')
  const [, table = ''] = /^### Audit log$.*?^\| subject \| actions \|\n(.*?)\n\n/ms.exec(text) ?? []
  const named = table.split('\n').flatMap((row) => {
    const words = [...row.matchAll(/`([a-z_]*)(\.[a-z_]+)`/g)]
    const subject = words.find(([, subject]) => subject)?.[1]
    return words.filter(([, own]) => own === '' || own === subject).map(([, , verb]) => `${subject}${verb}`)
  })
  assert.deepEqual(named, [...AUDIT_ACTIONS])
})
