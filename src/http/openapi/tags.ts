/** The groups of operations, in the order in which a reader needs them. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Pages', description: 'Pages are Markdown at an address, `/pages/{space}/{path}`.' },
  { name: 'Revisions', description: 'Every write of a page is a revision; none is changed or lost.' },
  { name: 'Lifecycle', description: 'Moving, deleting and restoring pages and folders.' },
  { name: 'Files', description: 'Images and other files, at addresses beside the pages.' },
  {
    name: 'Metadata',
    description: 'Structured values beside a page, changed key by key, and queries over them.',
  },
  { name: 'Links', description: 'What a page links to, what links to it, and what is broken or missing.' },
  { name: 'Search', description: 'Full-text search, and pages by the beginning of their titles.' },
  { name: 'Spaces', description: 'Spaces hold pages and decide who may do what.' },
  { name: 'Page templates', description: 'Pages that new pages are made from.' },
  { name: 'Space templates', description: 'Templates of whole spaces.' },
  { name: 'Export and import', description: 'Spaces as archives and bundles.' },
  { name: 'Changes', description: 'The feed of events: polled, waited for, or streamed.' },
  { name: 'Webhooks', description: 'Signed requests to other systems when something changes.' },
  { name: 'Access', description: 'Your own keys and sessions.' },
  {
    name: 'Administration',
    description: 'Principals, keys, invitations and the audit log of the organisation.',
  },
  { name: 'Agents', description: 'The Model Context Protocol.' },
  { name: 'Service', description: 'Health, metrics and explanations of errors, without a key.' },
]
