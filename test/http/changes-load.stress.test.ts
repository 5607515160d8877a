import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endOfFeed, type FeedEvent, readFeed } from '../support/feed.ts'
import { startFeedReaders } from '../support/feed-readers.ts'
import { type Load, openLoad, times } from '../support/load.ts'
import { startNodes } from '../support/nodes.ts'

/** `RECTO_FEED_SECONDS=60` is the whole proof; a test run takes a part of it. */
const SECONDS = Number(process.env.RECTO_FEED_SECONDS ?? 4)
const WRITERS = 50
const PAGES = 20
const READERS = 12

/** A change that was acknowledged: a version of a page, or a change of its metadata. */
interface Made {
  readonly path: string
  readonly version?: number
}

interface Written {
  readonly made: readonly Made[]
  /** Changes that may have been made: the service was too busy to say. */
  readonly unknown: number
}

/** Writes until it is stopped, and returns what was acknowledged, in its order. */
async function write(load: Load, number: number, going: () => boolean): Promise<Written> {
  const made: Made[] = []
  let unknown = 0
  for (let turn = 0; going(); turn++) {
    const path = `p${(number + turn) % PAGES}`
    const address = `/pages/feed/${path}`
    if (turn % 4 === 3) {
      const json = { 'content-type': 'application/json' }
      const patch = JSON.stringify({ set: { [`w${number}`]: turn } })
      const { status, body } = await load.send('PATCH', `${address}/metadata`, json, patch)
      assert.ok([200, 503].includes(status), body.toString())
      if (status === 200) made.push({ path })
      else unknown++
    } else {
      const { status, etag, body } = await load.send('PUT', address, { 'if-match': '*' }, `${number} ${turn}`)
      assert.ok([200, 503].includes(status), body.toString())
      if (status === 200) made.push({ path, version: Number(etag?.slice(1, -1)) })
      else unknown++
    }
  }
  return { made, unknown }
}

test(`${WRITERS} writers for ${SECONDS} s: every reader, from any cursor, gets every event once and in one order`, async (t) => {
  await using nodes = await startNodes({ SVC_DATABASE_POOL: '6' })
  const [admin, other] = nodes.admins
  await admin.space('feed')
  for (const page of times(PAGES, (index) => index)) await admin.put(`/pages/feed/p${page}`, 'x')
  const since = await endOfFeed(admin, { space: 'feed' })

  const readers = startFeedReaders([admin, other], since, READERS)
  const until = performance.now() + SECONDS * 1000
  const written = await Promise.all(
    times(WRITERS, async (number) => {
      using load = openLoad((number % 2 === 0 ? admin : other).base, admin.key, 1)
      return await write(load, number, () => performance.now() < until)
    }),
  )
  // Long enough that readers join when nothing happens any more, too.
  await delay(100)
  const readings = await readers.finish()
  const { events } = await readFeed(admin, since, { space: 'feed' })
  const places = new Map(events.map(({ id }, index) => [id, index]))

  assert.equal(places.size, events.length, 'an event is told twice')
  assert.deepEqual(
    (await readFeed(other, since, { space: 'feed' })).events.map(({ id }) => id),
    events.map(({ id }) => id),
  )
  const made = written.map((each) => each.made)
  const unknown = written.reduce((sum, each) => sum + each.unknown, 0)
  const others = events.length - made.flat().length
  assert.ok(others >= 0 && others <= unknown, `${others} events of ${unknown} changes that were not acknowledged`)
  checkVersions(events, made, others === 0)

  for (const { how, after, ids } of readings) {
    const first = after === undefined ? 0 : (places.get(after) ?? Number.NaN) + 1
    const expected = events.slice(first, first + ids.length).map(({ id }) => id)
    assert.deepEqual(ids, expected, `${how} from ${first}: a gap, a repeat or another order`)
  }
  const kinds = Object.groupBy(readings, ({ how }) => how)
  const told = readings.reduce((sum, { ids }) => sum + ids.length, 0)
  assert.ok(kinds.polling && kinds.waiting && kinds.streaming, 'readers of every kind came and went')
  t.diagnostic(
    `${events.length} events (${unknown} changes were not acknowledged), ${readings.length} readers (${Object.entries(
      kinds,
    )
      .map(([how, some]) => `${some?.length} ${how}`)
      .join(', ')}), who were told ${told} events`,
  )
})

/** The versions of each page come one by one, each writer's changes in the order in which they were acknowledged. */
function checkVersions(events: readonly FeedEvent[], made: readonly (readonly Made[])[], exact: boolean): void {
  const placeOf = new Map<string, number>()
  const latest = new Map<string, number>()
  const patched = new Map<string, number>()
  for (const [index, { event, page }] of events.entries()) {
    if (event === 'page.metadata.updated') {
      patched.set(page.path, (patched.get(page.path) ?? 0) + 1)
      continue
    }
    assert.equal(event, 'page.updated')
    assert.equal(page.version, (latest.get(page.path) ?? 1) + 1, `a version of ${page.path} is missing`)
    latest.set(page.path, page.version)
    placeOf.set(`${page.path} ${page.version}`, index)
  }
  for (const changes of made) {
    const own = changes.flatMap(({ path, version }) =>
      version === undefined ? [] : [placeOf.get(`${path} ${version}`) ?? Number.NaN],
    )
    assert.ok(own.every((place, index) => index === 0 || place > (own[index - 1] ?? 0)))
  }
  const patches = Map.groupBy(
    made.flat().filter(({ version }) => version === undefined),
    ({ path }) => path,
  )
  for (const [path, some] of patches) {
    const told = patched.get(path) ?? 0
    assert.ok(exact ? told === some.length : told >= some.length, `patches of ${path}`)
  }
}
