import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDetails, readMessages } from './messages.ts'

test('messages are the literals of t, msg and formatNodes, but not those of comments', () => {
  const source = `
/** For example: t('no message') */
  const LABEL = msg('a label')
  const all = [t("it's one"), t(
    \`with {ticks}\`, { ticks }), formatNodes('<b>bold</b>', {}), formatNodes<Node>('\\'quoted\\'', {})]
  list.at('no message')
  t(LABEL)
`
  assert.deepEqual(readMessages(source), ['a label', "it's one", 'with {ticks}', '<b>bold</b>', "'quoted'"])
})

test('details are those of errors, with numbers in place of values, and never empty', () => {
  const source = `
  throw new AppError('not_found', \`There is no page \${path} in \${space}.\`)
  const { detail = '' } = suggestion
`
  assert.deepEqual(readDetails(source), ['There is no page {0} in {1}.'])
})
