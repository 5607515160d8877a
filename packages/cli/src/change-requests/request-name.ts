import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'

/** The change request that the arguments name. */
export function requestNamed(call: CommandCall): { readonly space: string; readonly number: number } {
  const number = parseNumber(call.arg('number'))
  if (number === undefined) throw new UsageError(`a change request has a number, such as 12, not ${call.arg('number')}`)
  return { space: call.arg('space'), number }
}

/** The change request of a command, as it is when the command starts, unless `--if-match` says otherwise. */
export async function readRequest(call: CommandCall) {
  const { space, number } = requestNamed(call)
  const { changeRequests } = openClient(call.terminal)
  return { space, number, ifMatch: call.option('if-match') ?? (await changeRequests.get(space, number)).etag }
}

/** The drafts that `--resolved` names. */
export function readResolved(call: CommandCall) {
  const resolvedDrafts = call.list('resolved').map((text) => {
    const at = text.lastIndexOf('@')
    return { path: text.slice(0, at), version: Number(text.slice(at + 1)) }
  })
  if (resolvedDrafts.some(({ path, version }) => path === '' || !Number.isInteger(version))) {
    throw new UsageError('--resolved takes a path and the version of the page, such as guide/start@7')
  }
  return resolvedDrafts
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
