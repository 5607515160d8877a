import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { dataFolder, until } from '../support/embedded.ts'
import { RECTO } from '../support/terminal.ts'
import { urlOf } from '../support/test-database.ts'

const LIMIT = 100

test('exhausted file descriptors are told at the start, in the log once and in a metric, and the service goes on', {
  skip: process.platform !== 'linux',
}, async () => {
  await using database = dataFolder()
  await using server = await database.start()
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const child = spawn('sh', ['-c', `ulimit -n ${LIMIT}; exec "$0" "$@"`, process.execPath, RECTO, 'serve'], {
    env: { PATH: process.env.PATH, SVC_DATA: data, SVC_PORT: '0', SVC_DATABASE_URL: urlOf(server.connection) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  const sockets: Socket[] = []
  try {
    await until(() => /Recto serves on/.test(log), 60_000)
    assert.match(log, /"limit":100,.*fewer than 1024 file descriptors/)
    const port = Number(/:(\d+)"/.exec(log.slice(log.indexOf('Recto serves on')))?.[1])
    // A connection that is open stays open.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = async (path: string) => {
      const [response] = await once(request({ port, path, agent, host: '127.0.0.1' }).end(), 'response')
      return text(response)
    }
    assert.match(await get('/metrics'), /^recto_descriptors_exhausted_total 0$/m)
    for (let count = 0; count < 2 * LIMIT; count++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}) // it is closed
      sockets.push(socket)
    }
    await until(async () => /^recto_descriptors_exhausted_total [2-9]$/m.test(await get('/metrics')), 30_000)
    assert.equal(log.match(/no file descriptor is free/g)?.length, 1)
    for (const socket of sockets) socket.destroy()
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200,
      30_000,
    )
    const key = readFileSync(join(data, 'admin-api-key'), 'utf8').trim()
    const answer = await fetch(`http://127.0.0.1:${port}/me`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200)
    agent.destroy()
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill()
    await once(child, 'exit')
    rmSync(data, { recursive: true, force: true })
  }
})
