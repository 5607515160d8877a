import { msg } from '../html.ts'

/** An assistant whose settings we know. */
interface KnownAssistant {
  readonly name: string
  readonly steps: string
  readonly oauth: (url: string) => string
  readonly key?: (endpoint: { readonly url: string; readonly key: string }) => string
}

const ASSISTANTS: readonly KnownAssistant[] = [
  {
    name: 'Claude',
    steps: msg(
      'In Claude on the web or on the desktop: Customize (or Settings), Connectors, Add custom connector. ' +
        'Paste the URL, and connect. In a team, an owner adds it first. ' +
        'Claude connects from the internet, and needs https.',
    ),
    oauth: (url) => url,
  },
  {
    name: 'Claude Code',
    steps: msg('Run this in a terminal, then type `/mcp` in Claude Code and sign in.'),
    oauth: (url) => `claude mcp add --transport http recto '${url}'`,
    key: ({ url, key }) => `claude mcp add --transport http recto ${url} --header "${formatHeader(key)}"`,
  },
  {
    name: 'ChatGPT',
    steps: msg(
      'In ChatGPT: Settings, Apps and connectors, Advanced settings: ' +
        'switch on the developer mode (in a workspace an admin allows it first). Then create a connector with this ' +
        'URL and the authentication OAuth. ChatGPT connects from the internet, and needs https.',
    ),
    oauth: (url) => url,
  },
  {
    name: 'Cursor',
    steps: msg(
      'Add this to `.cursor/mcp.json`, and sign in under Settings, MCP. ' +
        'Cursor sends no key to a server that offers OAuth: with a key use the command line `recto`.',
    ),
    oauth: (url) => text({ mcpServers: { recto: { url } } }),
    key: ({ url, key }) => {
      const env = { RECTO_URL: new URL(url).origin, RECTO_API_KEY: key }
      return text({ mcpServers: { recto: { command: 'recto', args: ['mcp'], env } } })
    },
  },
  {
    name: 'VS Code',
    steps: msg('Add this to `.vscode/mcp.json`, and start the server there: VS Code asks you to sign in.'),
    oauth: (url) => text({ servers: { recto: { type: 'http', url } } }),
    key: ({ url, key }) => text({ servers: { recto: { type: 'http', url, headers: formatHeaders(key) } } }),
  },
  {
    name: 'Gemini CLI',
    steps: msg('Add this to `.gemini/settings.json`, then type `/mcp auth recto` in Gemini CLI.'),
    oauth: (url) => text({ mcpServers: { recto: { httpUrl: url } } }),
    key: ({ url, key }) => text({ mcpServers: { recto: { httpUrl: url, headers: formatHeaders(key) } } }),
  },
  {
    name: msg('Any other'),
    steps: msg(
      'Recto is an MCP server with the transport Streamable HTTP. Clients that support OAuth need the URL only; ' +
        'all others send a key in a header.',
    ),
    oauth: (url) => url,
    key: ({ key }) => formatHeader(key),
  },
]

/** Placeholder for a key until one is created. */
const KEY_PLACEHOLDER = 'svc_...'

export type Assistant = ReturnType<typeof assistants>[number]

/**
 * The assistants whose settings we know, for the URL of MCP: steps for the person, and settings to copy with OAuth or
 * with a key.
 */
export function assistants(url: string, key: string = KEY_PLACEHOLDER, signInQuery = '') {
  return ASSISTANTS.map(({ name, steps, ...settings }) => ({
    name,
    steps,
    oauth: settings.oauth(url + signInQuery),
    ...(settings.key && { key: settings.key({ url, key }) }),
  }))
}

function formatHeader(key: string): string {
  return `Authorization: Bearer ${key}`
}

function formatHeaders(key: string) {
  return { Authorization: `Bearer ${key}` }
}

function text(settings: object): string {
  return JSON.stringify(settings, null, 2)
}
