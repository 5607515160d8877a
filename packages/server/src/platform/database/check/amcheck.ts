import { type CheckContext, type CheckResult, type Finding, RESTORE, toMessage } from './finding.ts'

/** Blocks that one call reads: half a gigabyte. */
const BLOCKS = 65_536
const MAX_PER_CALL = 20
/** Dropped or rebuilt meanwhile. */
const GONE = /could not open relation|does not exist/

/**
 * The functions of amcheck, which belong to the session and end with it: the extension would be a change, and in a
 * transaction that is rolled back it would hold the feed of changes back.
 */
export const AMCHECK_FUNCTIONS = `
  create function pg_temp.verify_heapam(relation regclass, on_error_stop boolean, check_toast boolean, skip text,
    startblock bigint, endblock bigint, blkno out bigint, offnum out integer, attnum out integer, msg out text)
    returns setof record language c as '$libdir/amcheck', 'verify_heapam';
  create function pg_temp.bt_index_check(index regclass, heapallindexed boolean)
    returns void language c strict as '$libdir/amcheck', 'bt_index_check'`

interface Relation {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly blocks: number
}

/** Checks the rows of every table with those it keeps out of line, and every B-tree index against its table. */
export async function checkRelations({ read, progress }: CheckContext): Promise<CheckResult> {
  const findings: Finding[] = []
  const relations = await read<Relation>(`
    select class.oid::text as id, class.oid::regclass::text as name, class.relkind as kind,
      pg_relation_filepath(class.oid) as path,
      (pg_relation_size(class.oid) / current_setting('block_size')::int)::int as blocks
    from pg_class class left join pg_index on indexrelid = class.oid left join pg_am am on am.oid = class.relam
    where class.relpersistence = 'p'
      and (class.relkind in ('r', 't', 'm') or class.relkind = 'i' and amname = 'btree' and indisvalid)
    order by class.relkind desc, class.oid`)
  for (const [index, relation] of relations.entries()) {
    progress('amcheck', `${index + 1} of ${relations.length}`)
    const add = (id: string, problem: string) => {
      const isIndex = relation.kind === 'i'
      // An index is compared with its table, which has a finding of its own.
      if (isIndex && problem.startsWith('invalid page') && !problem.includes(`"${relation.path}"`)) return
      const advice = isIndex ? `Rebuild it: REINDEX INDEX CONCURRENTLY ${relation.name}.` : RESTORE
      if (!GONE.test(problem)) findings.push({ check: 'amcheck', table: relation.name, id, problem, advice })
    }
    try {
      if (relation.kind === 'i') await read('select pg_temp.bt_index_check($1::oid::regclass, true)', [relation.id])
      else for await (const { place, msg } of verifyTable(read, relation)) add(place, msg)
    } catch (error) {
      add('', toMessage(error))
    }
  }
  const indexCount = relations.filter(({ kind }) => kind === 'i').length
  return { seen: `${relations.length - indexCount} tables and ${indexCount} indexes with amcheck`, findings }
}

async function* verifyTable(read: CheckContext['read'], { id, blocks }: Relation) {
  for (let from = 0; from < blocks; from += BLOCKS) {
    const to = Math.min(from + BLOCKS, blocks) - 1
    yield* await read<{ place: string; msg: string }>(
      `select format('block %s, row %s', blkno, offnum) as place, msg
       from pg_temp.verify_heapam($1::oid::regclass, false, true, 'none', $2, $3) limit ${MAX_PER_CALL}`,
      [id, from, to],
    )
  }
}
