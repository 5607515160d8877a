/** The bare server that reads are held against: one prepared query, no key, no permissions, no conditions. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import pg from 'pg'
import { HEAD } from './bare-reads.ts'
import { embeddedConnection } from './measure.ts'

const pool = new pg.Pool({ ...embeddedConnection(String(process.argv[2])), max: 16 })
const app = Fastify()
app.get<{ Params: { space: string; page: string } }>('/pages/:space/:page', async (request, reply) => {
  const { rows } = await pool.query({ ...HEAD, values: [request.params.space, request.params.page] })
  if (!rows[0]) return reply.code(404).send()
  return reply.type('text/markdown; charset=utf-8').send(rows[0].data)
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
