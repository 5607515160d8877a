import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { isInCode } from './in-code.ts'
import { loadEmoji } from './suggestions.ts'

/** Two letters at least: a colon is also punctuation. */
const SHORT_CODE = /(?:^|[\s([]):([a-z0-9_+-]{2,30})$/

let emoji: Promise<readonly Completion[]> | undefined

/** Completes emoji after `:` by the names that GitHub gives them. */
export const completeEmoji: CompletionSource = async (context) => {
  const line = context.state.doc.lineAt(context.pos)
  const typedText = SHORT_CODE.exec(line.text.slice(0, context.pos - line.from))?.[1]
  if (typedText === undefined || isInCode(context.state, context.pos)) return null
  emoji ??= loadOptions()
  const options = await emoji
  return { from: context.pos - typedText.length, options, validFor: /^[a-z0-9_+-]*$/ }
}

/** Loaded on first use. */
async function loadOptions(): Promise<readonly Completion[]> {
  return (await loadEmoji()).map(([name, sign]) => ({
    label: name,
    displayLabel: `${sign} ${name}`,
    // From the colon on.
    apply: (view, _option, from, to) =>
      view.dispatch({
        changes: { from: from - 1, to, insert: sign },
        selection: { anchor: from - 1 + sign.length },
        userEvent: 'input.complete',
      }),
  }))
}
