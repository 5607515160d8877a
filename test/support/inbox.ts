import { assertStatus, type Client } from './client.ts'
import { until } from './embedded.ts'
import { newPerson } from './people.ts'

/** A notification, in short: what it is about, why, the last event, how many, by whom. */
export async function readInbox(client: Client, query = ''): Promise<string[]> {
  const items = await client.all(`/me/notifications${query}`)
  return items.map(({ subject, reason, kind, actor, events, readAt }) => {
    const { space, path = '', number, thread } = subject
    const what = `${thread ? 'thread ' : ''}${space}${path && `/${path}`}${number === undefined ? '' : `#${number}`}`
    return `${what}: ${reason} ${kind} ${events} ${actor.name}${readAt === null ? '' : ' read'}`
  })
}

/**
 * Returns a function that waits until everybody was told of everything before: events are told of in their order, so
 * that it is enough to wait for a last one.
 */
export async function watchInboxes(admin: Client): Promise<() => Promise<void>> {
  const { client } = await newPerson(admin, 'Last')
  await admin.space('the-last')
  assertStatus(await client.call('PUT', '/me/watches/the-last'), 204)
  let n = 0
  return async () => {
    await admin.write(`the-last/page-${++n}`, 'Here.\n')
    await until(async () => (await readInbox(client)).some((line) => line.startsWith(`the-last/page-${n}:`)))
  }
}
