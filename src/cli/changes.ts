import type { Change } from '../client/types.ts'
import type { CommandCall } from './call.ts'
import { EXIT } from './command.ts'
import { clientOf } from './connection.ts'
import { oneLine, timeText } from './table.ts'

/** Who follows outlasts a restart of the service, however long it takes. */
const FOR_EVER = Number.POSITIVE_INFINITY

/** `recto changes`: the feed, a line for each event. */
export async function changesCommand(call: CommandCall): Promise<number> {
  const client = clientOf(call.terminal, { retryTimeoutMs: call.flag('follow') ? FOR_EVER : 3_000 })
  const kinds = call.list('kind')
  const query = {
    since: call.option('since'),
    space: call.option('space'),
    ...(kinds.length > 0 && { kinds }),
  }
  const tell = (change: Change, cursor?: string) => {
    const text = call.flag('json')
      ? JSON.stringify(cursor === undefined ? change : { ...change, cursor })
      : lineOf(change)
    call.terminal.out(`${text}\n`)
  }
  if (call.flag('follow')) {
    for await (const { change, cursor } of client.followChanges(query)) tell(change, cursor)
  } else {
    for await (const change of client.listChanges(query)) tell(change)
  }
  return EXIT.done
}

function lineOf({ occurredAt, event, actor, page, space }: Change): string {
  const what = page ? `${page.space}/${page.path}, version ${page.version}` : (space?.slug ?? '')
  return oneLine(`${timeText(occurredAt)}  ${event}  ${what}  by ${actor.name}`)
}
