import type { CompletionSource } from '@codemirror/autocomplete'
import { isInCode } from './in-code.ts'
import { loadMembers } from './suggestions.ts'

const MENTION = /(?:^|[\s([])@([\p{L}\p{M}\p{N}._-]{0,40})$/u

/** Completes the names of the members of a space after `@`. */
export function completePeople(space: string): CompletionSource {
  return async (context) => {
    const line = context.state.doc.lineAt(context.pos)
    const typedText = MENTION.exec(line.text.slice(0, context.pos - line.from))?.[1]
    if (typedText === undefined || isInCode(context.state, context.pos)) return null
    const options = (await loadMembers(space)).map(({ name, kind }) => ({
      label: name,
      ...(kind === 'agent' && { detail: 'agent' }),
      apply: `${name} `,
    }))
    return { from: context.pos - typedText.length, options, validFor: /^[\p{L}\p{M}\p{N}._-]*$/u }
  }
}
