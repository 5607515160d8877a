import { type CommandCall, UsageError } from '../command.ts'

/** The change request that the arguments name. */
export function requestNamed(call: CommandCall): { readonly space: string; readonly number: number } {
  const number = parseNumber(call.arg('number'))
  if (number === undefined) throw new UsageError(`a change request has a number, such as 12, not ${call.arg('number')}`)
  return { space: call.arg('space'), number }
}

/** The change request that `--change-request` names: a number, or the title of a new one. */
export function proposalIn(call: CommandCall): { readonly changeRequest?: string; readonly title?: string } {
  const text = call.option('change-request')
  if (text === undefined) return {}
  return parseNumber(text) === undefined ? { changeRequest: 'new', title: text } : { changeRequest: text }
}

function parseNumber(text: string): number | undefined {
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined
}
