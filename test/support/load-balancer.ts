import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { until } from './embedded.ts'
import { ROOT } from './process.ts'

export const LOAD_BALANCERS = ['haproxy', 'nginx'] as const
export type LoadBalancerName = (typeof LOAD_BALANCERS)[number]

export type NginxCache = 'as deployed' | 'of all requests'

export interface LoadBalancer extends AsyncDisposable {
  readonly url: string
  readonly process: ChildProcess
  /** What haproxy thinks of the nodes that one of its backends leads to, `UP` or `DOWN`. */
  state(backend: string): Promise<string | undefined>
}

/** Why this load balancer cannot be started here; `false` where it can. */
export function missing(name: LoadBalancerName): string | false {
  return spawnSync(name, ['-v']).error ? `${name} is not installed` : false
}

/**
 * Distributes the requests to a free port over these ports of this machine. nginx can have the cache of
 * deploy/nginx-cache.conf, or look for every request in its cache and obey the headers of the responses alone.
 */
export async function startLoadBalancer(
  name: LoadBalancerName,
  nodes: readonly number[],
  cache?: NginxCache,
): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), `recto-${name}-`))
  const port = await freePort()
  const file = join(folder, `${name}.conf`)
  const state = join(folder, 'state.sock')
  writeFileSync(file, name === 'haproxy' ? haproxyConfig(port, nodes, state) : nginxConfig(port, nodes, folder, cache))
  mkdirSync(join(folder, 'temp'))
  const words = name === 'haproxy' ? ['-db', '-f', file] : ['-p', folder, '-e', 'stderr', '-c', file]
  const child = spawn(name, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const said = text(child.stderr)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${await said}`)
    return listens(port)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    async state(backend) {
      const socket = connect(state)
      socket.end('show stat\n')
      const lines = (await text(socket)).split('\n').map((line) => line.split(','))
      return lines.find(([name, of]) => name === backend && of === 'BACKEND')?.[STATUS]
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The column of `show stat`. */
const STATUS = 17

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  server.close()
  await once(server, 'close')
  return port
}

/** Whether anybody accepts connections on a port. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** deploy/haproxy.cfg with these ports, five checks a second, and without the database. */
function haproxyConfig(port: number, nodes: readonly number[], state: string): string {
  const servers = nodes.map((node, index) => `  server node${index} 127.0.0.1:${node}\n`).join('')
  const [web = ''] = readFileSync(join(ROOT, 'deploy/haproxy.cfg'), 'utf8').split(/^listen postgres$/m)
  return web
    .replace('global\n', `global\n  stats socket ${state}\n`)
    .replace(/( *server recto\d .*\n)+/g, servers)
    .replace('bind :3000', `bind 127.0.0.1:${port}`)
    .replaceAll('check inter 1s', 'check inter 200ms')
}

/**
 * deploy/nginx.conf with these ports. nginx asks no node: it goes on to the next where one does not accept the
 * connection. Its idle connections end sooner, so that they do before a node stops on a busy machine as well.
 */
function nginxConfig(port: number, nodes: readonly number[], folder: string, cache: NginxCache | undefined): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const servers = nodes.map((node) => `  server 127.0.0.1:${node} max_fails=1 fail_timeout=1s;\n`).join('')
  const site = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replace(/( *server 127\.0\.0\.1:.*\n)+/, servers)
    .replace('listen 3000;', `listen 127.0.0.1:${port};`)
    .replace('keepalive_timeout 1s;', 'keepalive_timeout 200ms;')
  const deployedCache = readFileSync(join(ROOT, 'deploy/nginx-cache.conf'), 'utf8').replace(
    '/var/cache/nginx/recto',
    `${folder}/temp/cache`,
  )
  const ofAll = deployedCache.replace('proxy_cache $recto_cache;', 'proxy_cache recto;')
  const caching = cache === undefined ? '' : cache === 'as deployed' ? deployedCache : ofAll
  return `
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((kind) => `  ${kind}_temp_path ${folder}/temp/${kind};`).join('\n')}
${caching}
${site}
}
`
}
