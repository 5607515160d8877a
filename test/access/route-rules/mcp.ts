import { inSpace, listTool, ofPage, type RouteRules, rpc, tool } from './rule.ts'

/** Tools of the Model Context Protocol. */
export const MCP_RULES: RouteRules = {
  'POST /mcp': {
    rule: 'caller',
    send: () => ({
      json: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream' },
    }),
  },

  'POST /mcp (context_whoami)': { rule: 'caller', send: tool('context_whoami') },
  'POST /mcp (context_list_spaces)': { rule: 'caller', ...listTool('context_list_spaces', 'slug') },
  'POST /mcp (context_list_pages)': { rule: 'caller', ...listTool('context_list_pages') },
  'POST /mcp (context_list_pages of a space)': { rule: 'viewer', send: tool('context_list_pages', inSpace) },
  'POST /mcp (context_search)': { rule: 'caller', ...listTool('context_search', 'space', { query: 'page' }) },
  'POST /mcp (context_search in a space)': {
    rule: 'viewer',
    send: tool('context_search', ({ slug }) => ({ space: slug, query: 'page' })),
  },
  'POST /mcp (context_get_page)': { rule: 'viewer', send: tool('context_get_page', ofPage) },
  'POST /mcp (context_get_page_links)': { rule: 'viewer', send: tool('context_get_page_links', ofPage) },
  'POST /mcp (context_get_page_history)': { rule: 'viewer', send: tool('context_get_page_history', ofPage) },
  'POST /mcp (context_get_broken_links)': { rule: 'viewer', send: tool('context_get_broken_links', inSpace) },
  'POST /mcp (context_write_page)': {
    rule: 'editor',
    send: tool('context_write_page', (place) => ({ ...ofPage(place), body: 'x', version: 9999 })),
    ok: [412],
  },
  'POST /mcp (context_edit_page)': {
    rule: 'editor',
    send: tool('context_edit_page', (place) => ({
      ...ofPage(place),
      edits: [{ op: 'append', text: 'x' }],
      version: 9999,
    })),
    ok: [412],
  },
  'POST /mcp (context_get_metadata)': { rule: 'viewer', send: tool('context_get_metadata', ofPage) },
  'POST /mcp (context_patch_metadata)': {
    rule: 'editor',
    send: tool('context_patch_metadata', (place) => ({
      ...ofPage(place),
      set: { [place.marker]: place.marker },
    })),
  },
  'POST /mcp (context_query_metadata)': { rule: 'caller', ...listTool('context_query_metadata') },
  'POST /mcp (context_query_metadata in a space)': {
    rule: 'viewer',
    send: tool('context_query_metadata', inSpace),
  },
  'POST /mcp (context_list_metadata_keys)': { rule: 'caller', send: tool('context_list_metadata_keys') },
  'POST /mcp (context_list_templates)': { rule: 'caller', ...listTool('context_list_templates') },
  'POST /mcp (resource)': {
    rule: 'viewer',
    send: ({ slug }) => rpc('resources/read', { uri: `recto://pages/${slug}/page` }),
  },
}
