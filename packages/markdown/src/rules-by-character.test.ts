import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/property.ts'
import { createParser, parseBody } from './parser.ts'

const PIECES =
  `[|]|(|)|!|*|**|_|\`|\`\`\`|~~|~~~|<|>|<b>|</b>|<!--|-->|&amp;|&|\\|$|$$|[^a]|[^a]: |[a]: ./b|[a]|www.a.b|http://x.y/z|:|a@b.co|ß|日本|😀|\t|    |- |1. |# |> |---|===|[x] |[!NOTE]|word|w| |\r\n|\n|\n\n|\0`.split(
    '|',
  )

test('a parser that tries rules by the first character finds the same as one that tries all', () => {
  const byCharacter = createParser()
  const all = createParser()
  // The methods of the class, which the instances have replaced.
  for (const { ruler } of [all.block, all.inline]) assert.ok(Reflect.deleteProperty(ruler, 'getRules'))
  const body = fc.array(fc.constantFrom('|', '| - |\n', ...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(body, (text) => {
      assert.deepEqual(parseBody(byCharacter, text), parseBody(all, text))
    }),
    { numRuns: 3_000 },
  )
})
