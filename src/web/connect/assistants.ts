/** How to connect an assistant: steps for the person, and settings to copy. */
export interface Assistant {
  readonly name: string
  /** With OAuth: the steps, and the settings to copy. */
  readonly steps: string
  readonly oauth: string
  /** With a key, if the assistant supports keys. */
  readonly key?: string
}

/** Placeholder for a key until one is created. */
const KEY_PLACEHOLDER = 'svc_...'

/** The assistants whose settings we know, for the URL of MCP. */
export function assistants(url: string, key: string = KEY_PLACEHOLDER): readonly Assistant[] {
  const header = `Authorization: Bearer ${key}`
  const headers = { Authorization: `Bearer ${key}` }
  const env = { RECTO_URL: new URL(url).origin, RECTO_API_KEY: key }
  return [
    {
      name: 'Claude',
      steps:
        'In Claude on the web or on the desktop: Customize (or Settings), Connectors, Add custom connector. Paste the URL, and connect. In a team, an owner adds it first. Claude connects from the internet, and needs https.',
      oauth: url,
    },
    {
      name: 'Claude Code',
      steps: 'Run this in a terminal, then type `/mcp` in Claude Code and sign in.',
      oauth: `claude mcp add --transport http recto ${url}`,
      key: `claude mcp add --transport http recto ${url} --header "${header}"`,
    },
    {
      name: 'ChatGPT',
      steps:
        'In ChatGPT: Settings, Apps and connectors, Advanced settings: switch on the developer mode (in a workspace an admin allows it first). Then create a connector with this URL and the authentication OAuth. ChatGPT connects from the internet, and needs https.',
      oauth: url,
    },
    {
      name: 'Cursor',
      steps:
        'Add this to `.cursor/mcp.json`, and sign in under Settings, MCP. Cursor sends no key to a server that offers OAuth: with a key use the command line `recto`.',
      oauth: text({ mcpServers: { recto: { url } } }),
      key: text({ mcpServers: { recto: { command: 'recto', args: ['mcp'], env } } }),
    },
    {
      name: 'VS Code',
      steps: 'Add this to `.vscode/mcp.json`, and start the server there: VS Code asks you to sign in.',
      oauth: text({ servers: { recto: { type: 'http', url } } }),
      key: text({ servers: { recto: { type: 'http', url, headers } } }),
    },
    {
      name: 'Gemini CLI',
      steps: 'Add this to `.gemini/settings.json`, then type `/mcp auth recto` in Gemini CLI.',
      oauth: text({ mcpServers: { recto: { httpUrl: url } } }),
      key: text({ mcpServers: { recto: { httpUrl: url, headers } } }),
    },
    {
      name: 'Any other',
      steps:
        'Recto is an MCP server with the transport Streamable HTTP. Clients that support OAuth need the URL only; all others send a key in a header.',
      oauth: url,
      key: header,
    },
  ]
}

function text(settings: object): string {
  return JSON.stringify(settings, null, 2)
}
