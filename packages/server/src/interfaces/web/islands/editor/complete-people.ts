import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { send } from '../parts/api.ts'
import { isInCode } from './in-code.ts'

const MENTION = /(?:^|[\s([])@([\p{L}\p{M}\p{N}._-]{0,40})$/u
const LIMIT = 200

/** Completes the names of the members of a space after `@`. */
export function completePeople(space: string): CompletionSource {
  let people: Promise<readonly Completion[]> | undefined
  return async (context) => {
    const line = context.state.doc.lineAt(context.pos)
    const typedText = MENTION.exec(line.text.slice(0, context.pos - line.from))?.[1]
    if (typedText === undefined || isInCode(context.state, context.pos)) return null
    people ??= loadPeople(space)
    const options = await people
    // The next @ tries again.
    if (options.length === 0) people = undefined
    return { from: context.pos - typedText.length, options, validFor: /^[\p{L}\p{M}\p{N}._-]*$/u }
  }
}

async function loadPeople(space: string): Promise<readonly Completion[]> {
  try {
    const response = await send('GET', `/spaces/${space}/members?limit=${LIMIT}`)
    if (!response.ok) return []
    const { items }: { items: { principal: { name: string; kind: string } }[] } = await response.json()
    return items.map(({ principal: { name, kind } }) => ({
      label: name,
      ...(kind === 'agent' && { detail: 'agent' }),
      apply: `${name} `,
    }))
  } catch {
    return []
  }
}
