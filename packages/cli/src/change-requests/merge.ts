import { counted } from '@recto/lib/text/counted.ts'
import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printResult } from '../print.ts'
import { requestNamed } from './request-name.ts'

/** `recto cr approve` */
export async function approveCommand(call: CommandCall): Promise<void> {
  const { space, number } = requestNamed(call)
  const { changeRequests } = openClient(call.terminal)
  const ifMatch = call.option('if-match') ?? (await changeRequests.get(space, number)).etag
  const body = call.option('note') ?? ''
  const request = await changeRequests.review(space, number, { verdict: 'approve', body }, { ifMatch })
  printResult(call, request, `Approved. ${request.mergeable ? 'It can be merged.' : 'It cannot be merged yet.'}`)
}

/** `recto cr update`: as the change request is when the command starts, unless `--if-match` says otherwise. */
export async function updateCommand(call: CommandCall): Promise<void> {
  const { changeRequests, space, number, ifMatch, input } = await openRequest(call)
  const resolvedDrafts = call.list('resolved').map((text) => {
    const at = text.lastIndexOf('@')
    return { path: text.slice(0, at), version: Number(text.slice(at + 1)) }
  })
  if (resolvedDrafts.some(({ path, version }) => path === '' || !Number.isInteger(version))) {
    throw new UsageError('--resolved takes a path and the version of the page, such as guide/start@7')
  }
  const request = await changeRequests.updateDrafts(space, number, { ...input, resolved: resolvedDrafts }, { ifMatch })
  const text = request.conflicts.length > 0 ? ', and others have conflicts' : ''
  printResult(call, request, `The drafts are based on the present versions of their pages${text}.`)
}

/** `recto cr merge`: as the change request is when the command starts, unless `--if-match` says otherwise. */
export async function mergeCommand(call: CommandCall): Promise<void> {
  const { changeRequests, space, number, ifMatch, input } = await openRequest(call)
  const note = call.option('note')
  const outcome = await changeRequests.merge(
    space,
    number,
    { ...input, ...(note !== undefined && { note }) },
    { ifMatch },
  )
  const lines = outcome.merged.map(({ path, kind, version }) => `  ${path} (${kind}), version ${version}`)
  const head = `Merged ${counted(outcome.merged.length, 'page')}; the change request is ${outcome.state}.`
  printResult(call, outcome, [head, ...lines].join('\n'))
}

/** The change request of a command, and the paths that it names. */
async function openRequest(call: CommandCall) {
  const address = requestNamed(call)
  const { changeRequests } = openClient(call.terminal)
  const paths = call.list('path')
  const ifMatch = call.option('if-match') ?? (await changeRequests.get(address.space, address.number)).etag
  return { ...address, changeRequests, ifMatch, input: paths.length > 0 ? { paths: [...paths] } : {} }
}
