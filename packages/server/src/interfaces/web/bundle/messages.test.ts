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

/** With `"` for a backtick and `#` for a dollar sign. */
const SOURCE = String.raw`
/** A comment that says 'must be left alone'. */
throw new AppError('not_found', 'There is no page. Nothing was changed.')
throw new AppError("#{kind}_gone", "The #{kind} \"#{path}\" is gone: see #{list(a, b)}.")
throw inputError('invalid', "Choose #{count}.", '/a', 'must be a cat’s')
throw retryLater('busy', 'Wait.', 2)
const { detail = '' } = suggestion
const detail = isLate
  ? 'It is late.'
  : "It was #{time}."
return { message: "must have at most #{limit} characters", problem: 'must be <a> { b }' }
t('is in the trash.')
new Problem('must be an address')
const name = isLate ? 'Late' : 'early.'
`

test('the details of errors and their issues are found in a source, with numbers in place of values', () => {
  const source = SOURCE.replaceAll('"', '`').replaceAll('#', '$')
  assert.deepEqual(readDetails(source), [
    'There is no page.',
    'The {0} `{1}` is gone: see {2}.',
    'Choose {0}.',
    'must be a cat’s',
    'Wait.',
    'It is late.',
    'It was {0}.',
    'must have at most {0} characters',
  ])
})
