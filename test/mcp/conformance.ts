import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { decide, openBrowser, registerApp } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'
import { startService } from '../support/service.ts'

/**
 * Runs the protocol's own conformance tests against a service, those of servers and then those of authorization
 * servers: `node test/mcp/conformance.ts [revision] [options]`, such as `2026-07-28 --suite all`.
 */
const TOOL = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** What a server with tools of its own alone fails at, and Recto does not: it has resources and prompts too. */
const PASSED = /^(?:resources-list|prompts-list|sep-2164-resource-not-found|caching):/

/** Prompts change by writing templates; the check calls a tool of the reference server for it. */
const OWN_TOOL = 'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription'
/** Where the tests of authorization servers listen for the redirect. */
const CALLBACK_PORT = Number(process.env.RECTO_CALLBACK_PORT ?? 3000)

const [revision = '2025-11-25', ...options] = process.argv.slice(2)
const code = await testServer()
process.exitCode = (await testAuthorizationServer()) || code

/** They send no key, so a gate in front of the service adds one, and leaves everything else as it is. */
async function testServer(): Promise<number> {
  let target = ''
  let key = ''
  const gate = createServer((request, answer) => {
    const headers = { authorization: `Bearer ${key}`, ...request.headers }
    const passed = send(target + request.url, { method: request.method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  const url = `http://localhost:${(gate.address() as AddressInfo).port}`
  await using service = await startService({ SVC_PUBLIC_URL: url })
  target = service.app.address
  key = service.admin.key ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'recto-conformance-'))
  const expected = join(folder, 'expected.json')
  writeFileSync(expected, JSON.stringify({ server: expectedFailures(revision) }))
  try {
    return await runTool(['server', '--url', `${url}/mcp`, '--expected-failures', expected, ...options])
  } finally {
    rmSync(folder, { recursive: true })
    gate.close()
  }
}

/** They print the authorization request; a person opens it in a browser and allows it. */
async function testAuthorizationServer(): Promise<number> {
  await using service = await startService()
  const { admin, nobody } = service
  const ada = await newPerson(admin, 'Ada')
  const redirectUri = `http://127.0.0.1:${CALLBACK_PORT}/callback`
  const clientId = await registerApp(nobody, { redirect_uris: [redirectUri] })
  const browser = await openBrowser(admin.base, ada.key)
  const asked = ['--client-id', clientId, '--resource', `${admin.base}/mcp`, '--port', String(CALLBACK_PORT)]
  return await runTool(['authorization', '--url', admin.base, ...asked], async (line) => {
    if (line.startsWith(`${admin.base}/oauth/authorize?`)) await fetch(await decide(browser, line))
  })
}

/** The exit code of the tool; its output is shown, and passed line by line. */
async function runTool(args: readonly string[], onLine?: (line: string) => Promise<void>): Promise<number> {
  const child = spawn('npx', ['--yes', TOOL, ...args, '--spec-version', revision], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, PATH: dirname(process.execPath) + delimiter + process.env.PATH },
  })
  const closed = new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)))
  let rest = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    process.stdout.write(chunk)
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) await onLine?.(line.trim())
  }
  return closed
}

function expectedFailures(of: string): string[] {
  const file = `../../../shared/data/mcp/expected-failures-own-tools-${of}.json`
  const { server } = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as { server: string[] }
  return [...server.filter((check) => !PASSED.test(check)), OWN_TOOL]
}
