/**
 * Notes the SQL that a release sends, for rolling.test.ts: `node statements.ts LOG NAME` reads the log of a PostgreSQL
 * 15 that was run with `log_statement = all` and `log_destination = jsonlog` under that release while MixedLoad had it
 * do everything.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

const [log = '', name = ''] = process.argv.slice(2)
const found = new Set<string>()
for (const line of readFileSync(log, 'utf8').split('\n')) {
  if (line === '') continue
  const { message = '', ps } = JSON.parse(line) as { message?: string; ps?: string }
  const [, sql = ''] = /^(?:execute [^:]*|statement): (.*)$/s.exec(message) ?? []
  if (ps !== 'PARSE' && /^\s*(?:with|select|insert|update|delete)\b/i.test(sql)) found.add(sql.trim())
}
const file = join(import.meta.dirname, `releases/${name}.statements.json.br`)
writeFileSync(file, brotliCompressSync(JSON.stringify([...found].sort())))
process.stdout.write(`${found.size} statements in ${file}\n`)
