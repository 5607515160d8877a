/**
 * The page tree of a space: `node bench/tree.ts [pages]`, once with all pages as siblings and once in folders of a
 * thousand. The processor time includes the client.
 */
import pg from 'pg'
import { pino } from 'pino'
import { createApp } from '../packages/server/src/app/app.ts'
import { loadConfig } from '../packages/server/src/platform/config.ts'
import { benchFolder, embeddedConnection, median, print, processorTime } from './measure.ts'

const [pages = 100_000] = process.argv.slice(2).map(Number)
const ROUNDS = 20

using folder = benchFolder()
const config = loadConfig({ SVC_DATA: folder.path, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent', SVC_RATE_LIMIT: '0' })
await using app = await createApp(config, pino({ level: 'silent' }))
await fill()
const processor = processorTime({ pid: process.pid, cluster: `${folder.path}/postgres` })
for (const [name, path] of [
  ['flat: the tree', '/fragments/tree/flat'],
  ['flat: around its last page', `/fragments/tree/flat?page=p${pages}`],
  ['flat: more siblings', `/fragments/tree/flat?folder=&after=p${Math.floor(pages / 2)}`],
  ['flat: the filter', '/fragments/tree/flat?q=page+99'],
  ['flat: all pages', '/browse/flat'],
  ['folders: the tree', '/fragments/tree/deep'],
  ['folders: around a page', '/fragments/tree/deep?page=f7/p7'],
  ['folders: eleven open', `/fragments/tree/deep?${Array.from({ length: 11 }, (_, at) => `open=f${at}`).join('&')}`],
  ['folders: all pages', '/browse/deep'],
] as const) {
  const times: number[] = []
  const before = processor()
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const answer = await fetch(app.address + path, {
      headers: { authorization: `Bearer ${app.adminKey ?? ''}`, accept: 'text/html' },
    })
    const { length } = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    times.push(performance.now() - began)
    if (round === 0) print(`${name}: first ${times[0]?.toFixed(1)} ms, ${Math.round(length / 1024)} KiB`)
  }
  const used = (processor() - before) / ROUNDS
  print(`${name}: p50 ${median(times).toFixed(1)} ms, processor ${used.toFixed(1)} ms`)
}

async function fill(): Promise<void> {
  const client = new pg.Client(embeddedConnection(folder.path))
  await client.connect()
  await client.query('set synchronous_commit = off')
  await client.query(`insert into space (id, slug, kind, name, visibility, default_role, created_at, created_by,
    updated_at)
    select 1000 + n, (array['flat', 'deep'])[n], 'shared', 'Space ' || n, 'org', 'viewer', now(), person.id, now()
    from generate_series(1, 2) n, (select id from principal limit 1) person`)
  await client.query(`insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id,
    created_at, created_by, updated_at, updated_by)
    select space.id, number, case space.slug when 'flat' then 'p' || number
      else 'f' || number % (${pages} / 1000) || '/p' || number end, 1,
      gen_random_uuid(), 'Page ' || number, 1, gen_random_uuid(), now(), space.created_by, now(), space.created_by
    from generate_series(1, ${pages}) number cross join space where space.slug in ('flat', 'deep')`)
  await client.query('insert into page_address (space_id, path, page_id) select space_id, path, id from page')
  await client.query(`insert into page_search (space_id, page_id, title, words)
    select space_id, id, ('''page'':1A ''' || id || ''':2A')::tsvector, ''::tsvector from page`)
  await client.query('vacuum analyze')
  await client.end()
}
