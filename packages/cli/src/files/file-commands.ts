import { redirectEndedText } from '@recto/contract/redirect-ended.ts'
import { operationCommand } from '../operation-command.ts'
import { fileNamed, movedInto } from '../pages/page-name.ts'
import { type ArgumentSpec, type CommandSpec, IF_MATCH, JSON_OPTION, LIST_OPTIONS, readIfMatch } from '../spec.ts'

const load = () => import('./files.ts')
const FILE: ArgumentSpec = { name: 'path', summary: 'the file as <space>/<path>, e.g. docs/img/plan.png' }

export const fileCommands: CommandSpec = {
  name: 'files',
  summary: 'list, read, write, move and delete files: images and attachments',
  commands: [
    {
      name: 'ls',
      summary: 'list the files of a space, those that no page uses, or those that are deleted',
      about: 'With --unused: the files to which no page refers that you can read.',
      arguments: [
        { name: 'space', summary: 'a space, or <space>/<prefix> for paths that start with the prefix', names: 'space' },
      ],
      options: {
        type: { value: 'type', summary: 'limit to a media type, e.g. image/png, or image/ for all images' },
        q: { value: 'text', summary: 'limit to paths with this text' },
        unused: { summary: 'limit to files that no page uses' },
        trash: { summary: 'list the deleted files of the space, the latest deletion first' },
        ...LIST_OPTIONS,
      },
      examples: [
        ['files ls docs/img/ --type image/', 'the images in a folder'],
        ['files ls docs --unused --all', 'all files that no page uses'],
      ],
      run: async (call) => (await load()).listFilesCommand(call),
    },
    {
      name: 'get',
      summary: 'download a file',
      about:
        'Writes a temporary file and renames it when it is complete. ' +
        'A file that exists is not replaced without --force.',
      arguments: [
        FILE,
        {
          name: 'file',
          summary: 'where to write it; `-` is standard output; by default its name, in this folder',
          optional: true,
          names: 'file',
        },
      ],
      options: {
        version: { value: 'n', summary: 'download this version instead of the latest' },
        force: { short: 'f', summary: 'replace a file that exists' },
        json: { summary: 'print the facts of the file as JSON, without downloading it' },
      },
      examples: [
        ['files get docs/img/plan.png', 'to plan.png'],
        ['files get docs/log.gz - > log.gz', 'to standard output'],
      ],
      run: async (call) => (await load()).getFileCommand(call),
    },
    {
      name: 'put',
      summary: 'upload a file, from the disk or from standard input',
      about:
        'Without --version or --if-match it only creates files. ' +
        'To replace a file, pass the version that you have seen, so that no change of others is lost.',
      arguments: [
        FILE,
        { name: 'file', summary: 'the file to read; standard input if absent or `-`', optional: true, names: 'file' },
      ],
      options: { ...IF_MATCH, ...JSON_OPTION },
      examples: [
        ['files put docs/img/plan.png plan.png', ''],
        ['files put docs/img/plan.png new.png --version 3', 'replace version 3'],
      ],
      run: async (call) => (await load()).putFileCommand(call),
    },
    {
      name: 'rm',
      summary: 'move a file to the trash',
      arguments: [FILE],
      options: { ...IF_MATCH, purge: { summary: 'delete it permanently, with its versions; requires the admin role' } },
      examples: [['files rm docs/img/plan.png --version 4', 'only if the file has not changed']],
      run: async (call) => (await load()).removeFileCommand(call),
    },
    operationCommand('restore', 'restore a file from the trash', 'files.restore', {
      arguments: [FILE],
      examples: [['files restore docs/img/plan.png', 'with its versions']],
      values: (_, call) => ({ ...fileNamed(call.arg('path')) }),
      text: (file) =>
        `Restored ${file.space}/${file.path}, version ${file.version}: ${file.url}${redirectEndedText(file)}`,
    }),
    operationCommand('mv', 'move a file; its old URL redirects', 'files.move', {
      arguments: [FILE, { name: 'to', summary: 'its new <space>/<path>; with a slash at its end the folder' }],
      options: IF_MATCH,
      examples: [['files mv docs/plan.png docs/img/plan.png']],
      values: (_, call) => {
        const from = fileNamed(call.arg('path'))
        return { ...from, to: fileNamed(movedInto(call.arg('to'), from.path)), ifMatch: readIfMatch(call) }
      },
      text: (file, call) => {
        const from = fileNamed(call.arg('path'))
        return `Moved ${from.space}/${from.path} to ${file.space}/${file.path}: ${file.url}`
      },
    }),
    {
      name: 'migrate',
      summary: 'move the bytes of all files between the database and the bucket, while the service runs',
      about:
        'Needs SVC_FILES_S3_URL on all nodes, and an organisation admin. It can be interrupted and repeated. ' +
        'Old bytes are kept for an hour for those who read them.',
      arguments: [{ name: 'to', summary: 'where the bytes are to be', choices: ['s3', 'database'] }],
      examples: [['files migrate s3', 'from the database to the bucket']],
      run: async (call) => (await load()).migrateFilesCommand(call),
    },
  ],
}
