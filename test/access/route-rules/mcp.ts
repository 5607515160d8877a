import { inSpace, listTool, ofPage, type Place, type RouteRules, rpc, tool } from './rule.ts'

/** Tools of the Model Context Protocol. */
export const MCP_RULES: RouteRules = {
  'POST /mcp': {
    rule: 'caller',
    visitors: true,
    send: () => ({
      json: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream' },
    }),
  },

  'GET /mcp': { rule: 'caller', visitors: true, ok: [405] },
  'POST /mcp (resources/subscribe)': {
    rule: 'caller',
    inSession: true,
    send: ({ slug }) => rpc('resources/subscribe', { uri: `recto://pages/${slug}/page` }),
  },
  'POST /mcp (resources/unsubscribe)': {
    rule: 'caller',
    inSession: true,
    send: ({ slug }) => rpc('resources/unsubscribe', { uri: `recto://pages/${slug}/page` }),
  },

  'POST /mcp (context_whoami)': { rule: 'caller', send: tool('context_whoami') },
  'POST /mcp (context_list_spaces)': { rule: 'caller', visitors: true, ...listTool('context_list_spaces', 'slug') },
  'POST /mcp (context_list_pages)': { rule: 'caller', visitors: true, ...listTool('context_list_pages') },
  'POST /mcp (context_list_pages of a space)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_list_pages', inSpace),
  },
  'POST /mcp (context_search)': {
    rule: 'caller',
    visitors: true,
    ...listTool('context_search', 'space', { query: 'page' }),
  },
  'POST /mcp (context_search in a space)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_search', ({ slug }) => ({ space: slug, query: 'page' })),
  },
  'POST /mcp (context_get_page)': { rule: 'viewer', visitors: true, send: tool('context_get_page', ofPage) },
  'POST /mcp (context_get_page_links)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_get_page_links', ofPage),
  },
  'POST /mcp (context_get_page_history)': { rule: 'viewer', send: tool('context_get_page_history', ofPage) },
  'POST /mcp (context_get_broken_links)': { rule: 'viewer', send: tool('context_get_broken_links', inSpace) },
  'POST /mcp (context_get_pages)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_get_pages', ({ slug }) => ({ pages: [`${slug}/page`] })),
  },
  'POST /mcp (context_compare)': {
    rule: 'viewer',
    send: tool('context_compare', (place) => ({ ...ofPage(place), text: 'x' })),
  },
  'POST /mcp (context_get_file)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_get_file', (place) => ({ ...inSpace(place), path: 'file' })),
  },
  'POST /mcp (context_find)': {
    rule: 'caller',
    visitors: true,
    ...listTool('context_find', 'space', { query: 'page' }, 50),
  },
  'POST /mcp (context_find in a space)': {
    rule: 'viewer',
    visitors: true,
    send: tool('context_find', ({ slug }) => ({ space: slug, query: 'page' })),
  },
  'POST /mcp (context_get_changes)': { rule: 'caller', send: tool('context_get_changes') },
  'POST /mcp (context_get_changes of a space)': { rule: 'viewer', send: tool('context_get_changes', inSpace) },
  'POST /mcp (context_list_reports)': {
    rule: 'viewer',
    send: tool('context_list_reports', (place) => ({ ...inSpace(place), report: 'wanted' })),
  },
  'POST /mcp (context_move_page)': {
    rule: 'editor',
    send: tool('context_move_page', (place) => ({ ...ofPage(place), to: 'elsewhere', dryRun: true })),
  },
  'POST /mcp (context_delete_page)': {
    rule: 'editor',
    send: tool('context_delete_page', (place) => ({ ...ofPage(place), version: 9999 })),
    ok: [412],
  },
  'POST /mcp (context_delete_page of a prefix)': {
    rule: 'editor',
    send: tool('context_delete_page', (place) => ({ ...ofPage(place), prefix: true, dryRun: true })),
  },
  'POST /mcp (context_restore_page)': { rule: 'editor', send: tool('context_restore_page', ofPage), ok: [409] },
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
  'POST /mcp (context_get_metadata)': {
    rule: 'viewer',
    visitors: 'metadata',
    send: tool('context_get_metadata', ofPage),
  },
  'POST /mcp (context_patch_metadata)': {
    rule: 'editor',
    send: tool('context_patch_metadata', (place) => ({ ...ofPage(place), set: { [place.marker]: place.marker } })),
  },
  'POST /mcp (context_update_metadata)': {
    rule: 'editor',
    send: tool('context_update_metadata', ({ slug, marker }) => ({
      pages: [`${slug}/page`],
      set: { [marker]: marker },
    })),
  },
  'POST /mcp (context_replace_text)': {
    rule: 'editor',
    send: tool('context_replace_text', (place) => ({ ...inSpace(place), find: 'nowhere', replace: 'x' })),
  },
  'POST /mcp (context_replace_text in a page)': {
    rule: 'editor',
    send: tool('context_replace_text', (place) => ({ ...ofPage(place), find: 'nowhere', replace: 'x' })),
    ok: [409],
  },
  'POST /mcp (context_query_metadata)': { rule: 'caller', ...listTool('context_query_metadata') },
  'POST /mcp (context_query_metadata in a space)': { rule: 'viewer', send: tool('context_query_metadata', inSpace) },
  'POST /mcp (context_list_metadata_keys)': { rule: 'caller', send: tool('context_list_metadata_keys') },
  'POST /mcp (context_list_templates)': { rule: 'caller', ...listTool('context_list_templates') },
  'POST /mcp (resource)': {
    rule: 'viewer',
    visitors: true,
    send: ({ slug }) => rpc('resources/read', { uri: `recto://pages/${slug}/page` }),
  },
  'POST /mcp (resource of a space)': {
    rule: 'viewer',
    visitors: true,
    send: ({ slug }) => rpc('resources/read', { uri: `recto://pages/${slug}` }),
  },
  'POST /mcp (resources)': {
    rule: 'caller',
    visitors: true,
    send: () => rpc('resources/list', {}),
    shows: ({ resources }) => resources.map(({ name }: { name: string }) => name.split('/')[0]),
  },
  'POST /mcp (completion of a space)': {
    rule: 'caller',
    visitors: true,
    send: () => completion({ name: 'space', value: '' }),
    shows: ({ completion }) => completion.values,
  },
  'POST /mcp (completion of a path)': {
    rule: 'caller',
    visitors: true,
    send: ({ slug }) => completion({ name: 'path', value: '' }, { space: slug }),
  },
  'POST /mcp (context_list_change_requests)': { rule: 'caller', send: tool('context_list_change_requests') },
  'POST /mcp (context_list_change_requests of a space)': {
    rule: 'viewer',
    send: tool('context_list_change_requests', inSpace),
  },
  'POST /mcp (prompt summarize_space)': { rule: 'viewer', visitors: true, send: prompt('summarize_space') },
  'POST /mcp (prompt mend_links)': { rule: 'viewer', send: prompt('mend_links') },
  'POST /mcp (prompt weekly_changes)': { rule: 'viewer', send: prompt('weekly_changes') },
  'POST /mcp (prompt weekly_changes of all spaces)': {
    rule: 'caller',
    send: () => rpc('prompts/get', { name: 'weekly_changes' }),
  },
  'POST /mcp (prompt file_note)': { rule: 'viewer', send: prompt('file_note', { note: 'Remember.' }) },
}

/** A message of a new session. */
function completion(argument: object, known: Readonly<Record<string, string>> = {}) {
  const ref = { type: 'ref/resource', uri: 'recto://pages/{space}/{+path}{?fromLine,fromColumn}' }
  return rpc('completion/complete', { ref, argument, context: { arguments: known } })
}

function prompt(name: string, args: object = {}) {
  return ({ slug }: Place) => rpc('prompts/get', { name, arguments: { ...args, space: slug } })
}
