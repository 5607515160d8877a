import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import {
  type CheckContext,
  type CheckResult,
  type Finding,
  RESTORE,
  toMessage,
} from '../../platform/database/check/finding.ts'

const BATCH = 100
const START: Key = { space_id: '-1', page_id: '-1', version: 0 }
const LOST = 'The version is lost, others of the page are not: restore a backup, or import it from an export.'

interface Key {
  readonly space_id: string
  readonly page_id: string
  readonly version: number
}

interface Row extends Key {
  readonly base: number | null
  readonly data: Buffer
  readonly size: number
  /** The latest body in full, if it is stored with the delta. */
  readonly body: Buffer | null
}

interface Keyframe extends Key {
  /** Undefined: it cannot be unpacked. */
  readonly body: Buffer | undefined
}

const AFTER = `from revision r
  left join page p on p.space_id = r.space_id and p.id = r.page_id and p.version = r.version
  where (r.space_id, r.page_id, r.version) > ($1::bigint, $2::bigint, $3::int)
  order by r.space_id, r.page_id, r.version`
const KEY = 'r.space_id::text as space_id, r.page_id::text as page_id, r.version'
const COLUMNS = `${KEY}, r.base, r.data, r.size, p.body`

/** Rebuilds every revision from keyframe and delta: zstd compares the checksum, and the length is compared. */
export async function checkRevisions({ read, progress }: CheckContext): Promise<CheckResult> {
  const findings: Finding[] = []
  const add: Add = (key, problem, advice = LOST) =>
    findings.push({ check: 'revisions', table: 'revision', id: toId(key), problem, advice })
  let count = 0
  let keyframe: Keyframe | undefined
  for (let after: Key | undefined = START; after; ) {
    const rows = await readBatch(read, after, add)
    for (const row of rows) {
      if ('data' in row) keyframe = await checkRow(row, keyframe, add)
    }
    count += rows.length
    progress('revisions', String(count))
    after = rows.length < BATCH ? undefined : rows.at(-1)
  }
  return { seen: `${count} revisions`, findings }
}

type Add = (key: Key, problem: string, advice?: string) => void

/** Checks a revision; returns the keyframe of the next one. */
async function checkRow(row: Row, keyframe: Keyframe | undefined, add: Add): Promise<Keyframe | undefined> {
  const isKeyframe = row.base === null
  const body = await rebuild(row, keyframe).catch((error) => void add(row, toMessage(error)))
  if (body && body.length !== row.size) add(row, `the body has ${body.length} bytes, not ${row.size}`)
  const latest = row.body && (await unpackBody(row.body).catch(() => undefined))
  if (latest === undefined || (latest && body && !latest.equals(body))) {
    add(row, 'the latest body beside it is damaged or another one', 'Make a version of the page the latest one.')
  }
  return isKeyframe ? { ...row, body } : keyframe
}

/** A batch of rows; if the server cannot read one of them, what it can of each, one by one. */
async function readBatch(
  read: CheckContext['read'],
  { space_id, page_id, version }: Key,
  add: Add,
): Promise<readonly (Row | Key)[]> {
  const values = [space_id, page_id, version]
  try {
    return await read<Row>(`select ${COLUMNS} ${AFTER} limit ${BATCH}`, values)
  } catch (error) {
    const keys = await read<Key>(`select ${KEY} ${AFTER} limit ${BATCH}`, values).catch(() => undefined)
    if (!keys) {
      add({ space_id, page_id, version }, `what follows it cannot be read: ${toMessage(error)}`, RESTORE)
      return []
    }
    const rows: (Row | Key)[] = []
    for (const key of keys) {
      const own = [key.space_id, key.page_id, key.version - 1]
      const ownRows = await read<Row>(`select ${COLUMNS} ${AFTER} limit 1`, own).catch((cause) => toMessage(cause))
      if (typeof ownRows === 'string') add(key, ownRows)
      rows.push(typeof ownRows === 'string' ? key : (ownRows[0] ?? key))
    }
    return rows
  }
}

async function rebuild(row: Row, keyframe: Keyframe | undefined): Promise<Buffer> {
  if (row.base === null) return unpackBody(row.data)
  const isBase = keyframe?.space_id === row.space_id && keyframe.page_id === row.page_id
  if (!isBase || keyframe.version !== row.base) throw new Error(`its keyframe, version ${row.base}, is missing`)
  if (!keyframe.body) throw new Error(`its keyframe, version ${row.base}, is damaged`)
  return unpackBody(row.data, keyframe.body)
}

function toId({ space_id, page_id, version }: Key): string {
  return `space ${space_id}, page ${page_id}, version ${version}`
}
