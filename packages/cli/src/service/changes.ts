import type { Change } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import type { CommandCall } from '../command.ts'
import { openClient } from '../connection.ts'
import { oneLine, timeText } from '../table.ts'

/** `--follow` survives restarts of the service of any length. */
const NO_TIMEOUT = Number.POSITIVE_INFINITY

/** `recto changes`: prints the change feed, one line per event. */
export async function changesCommand(call: CommandCall): Promise<void> {
  const client = openClient(call.terminal, { retryTimeout: call.flag('follow') ? NO_TIMEOUT : 3_000 })
  const kinds = call.list('kind')
  const query = { since: call.option('since'), space: call.option('space'), ...(kinds.length > 0 && { kinds }) }
  const print = (change: Change, cursor?: string) => {
    const text = call.flag('json')
      ? JSON.stringify(cursor === undefined ? change : { ...change, cursor })
      : formatChange(change)
    call.terminal.out(`${text}\n`)
  }
  if (call.flag('follow')) {
    for await (const { change, cursor } of client.changes.follow(query)) print(change, cursor)
  } else {
    for await (const change of client.changes.list(query)) print(change)
  }
}

function formatChange({ occurredAt, event, actor, page, file, space, from, to }: Change): string {
  const item = page ?? file
  const former = from ? `${from.space}/${from.path} -> ` : ''
  const later = to ? ` -> ${to.space}/${to.path}` : ''
  const what = item ? `${former}${item.space}/${item.path}${later}, version ${item.version}` : (space?.slug ?? '')
  return oneLine(`${timeText(occurredAt)}  ${event}  ${what}  by ${actorText(actor)}`)
}
