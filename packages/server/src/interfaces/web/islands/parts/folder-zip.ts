import { downloadZip } from 'client-zip'

/** A file with its path in the folder that was chosen or dropped. */
export interface DroppedFile {
  readonly name: string
  readonly file: File
}

/** The files of a chosen folder. */
export function filesOfFolder(files: Iterable<File>): DroppedFile[] {
  return [...files].map((file) => ({ name: file.webkitRelativePath || file.name, file }))
}

/** The files of a drop, with those in its folders. */
export async function filesOfDrop({ items }: DataTransfer): Promise<DroppedFile[]> {
  // Before anything is awaited: afterwards the browser forgets the items.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const files: DroppedFile[] = []
  for (const entry of entries) await collect(entry, files)
  return files
}

async function collect(entry: FileSystemEntry, files: DroppedFile[]): Promise<void> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    files.push({ name: entry.fullPath.replace(/^\//, ''), file })
  } else if (isFolder(entry)) {
    const reader = entry.createReader()
    // It returns the entries in parts, the last of which is empty.
    for (;;) {
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (part.length === 0) return
      for (const each of part) await collect(each, files)
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** An archive of the files. */
export async function buildZip(files: readonly DroppedFile[]): Promise<File> {
  const entries = files.map(({ name, file }) => ({ name, input: file, lastModified: file.lastModified }))
  return new File([await downloadZip(entries).blob()], 'folder.zip', { type: 'application/zip' })
}
