import { type CommandSpec, JSON_OPTION } from '../spec.ts'

const login = () => import('./login.ts')

/** Commands that sign in, and manage profiles. */
export const loginCommands: readonly CommandSpec[] = [
  {
    name: 'login',
    summary: 'sign in to a service',
    about:
      'Opens a browser, in which you sign in and choose what the command line may do: ' +
      'read, read and propose changes, or read and write, and in which spaces. Tokens are kept in a profile, ' +
      'a file that only you can read, and refreshed. For administration, and for CI, use an API key.',
    options: {
      url: { value: 'url', summary: 'the service (default RECTO_URL, or that of the profile)' },
      key: { summary: 'read an API key from standard input instead of opening a browser' },
      'no-browser': { summary: 'only print the URL' },
    },
    examples: [
      ['login --url https://wiki.example.org', 'by the browser'],
      ['login --key --profile ci', 'type or pipe an API key'],
    ],
    run: async (call) => (await login()).loginCommand(call),
  },
  {
    name: 'logout',
    summary: 'sign out of a service, and remove the profile',
    examples: [['logout', '']],
    exits: '1 if the service could not end the sign-in.',
    run: async (call) => (await login()).logoutCommand(call),
  },
  {
    name: 'profiles',
    summary: 'list the profiles of this machine, or choose the default',
    options: { use: { value: 'name', summary: 'use this profile by default' }, ...JSON_OPTION },
    examples: [
      ['profiles', 'the default is marked'],
      ['profiles --use work', ''],
    ],
    local: true,
    run: async (call) => (await login()).profilesCommand(call),
  },
]
