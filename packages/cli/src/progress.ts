import type { Terminal } from './command.ts'

/** Progress of a task: a bar on a terminal, else a line for every 10 %. */
export interface ProgressBar {
  /** Counts one completed item. */
  step(): void
  /** Removes the bar. */
  end(): void
}

const WIDTH = 30
const CLEAR_LINE = '\r\u001b[K'

/** Starts the progress of `total` items; `noun` names them, e.g. `pages`. */
export function createProgress(terminal: Terminal, total: number, noun: string): ProgressBar {
  return terminal.columns === undefined ? lines(terminal, total, noun) : bar(terminal, terminal.columns, total, noun)
}

/** Progress of so many bytes: a bar on a terminal, else nothing. */
export interface ByteProgress {
  add(bytes: number): void
  /** Sets how many bytes are done. */
  at(bytes: number): void
  end(): void
}

const MEGABYTE = 1_000_000

/** Starts the progress of a download or an upload of `size` bytes. */
export function createByteProgress(terminal: Terminal, size: number): ByteProgress {
  const { columns } = terminal
  if (columns === undefined || size < MEGABYTE) return { add() {}, at() {}, end() {} }
  const progress = bar(terminal, columns, Math.ceil(size / MEGABYTE), 'MB')
  let done = 0
  let shownBytes = 0
  const at = (bytes: number) => {
    done = bytes
    for (; shownBytes < Math.floor(done / MEGABYTE); shownBytes++) progress.step()
  }
  return { at, add: (bytes) => at(done + bytes), end: progress.end }
}

/** A line on a terminal that says what is being done; elsewhere nothing. */
export interface StatusLine {
  show(text: string): void
  /** Removes the line. */
  end(): void
}

/** Starts a line of a terminal that is overwritten. */
export function createStatusLine({ columns, err }: Terminal): StatusLine {
  if (columns === undefined) return { show() {}, end() {} }
  // A wrapped line cannot be overwritten.
  const show = (text: string) => err(`${CLEAR_LINE}${text.slice(0, Math.max(columns - 1, 0))}`)
  return { show, end: () => err(CLEAR_LINE) }
}

function bar(terminal: Terminal, columns: number, total: number, noun: string): ProgressBar {
  let done = 0
  let lastLine = ''
  const show = () => {
    const share = total === 0 ? 1 : done / total
    const filledCells = Math.floor(share * WIDTH)
    const line =
      `[${'#'.repeat(filledCells)}${'.'.repeat(WIDTH - filledCells)}] ${done}/${total} ${noun} ` +
      `${Math.floor(share * 100)}%`
    // A wrapped line cannot be overwritten.
    const fitting = line.slice(0, Math.max(columns - 1, 0))
    if (fitting !== lastLine) terminal.err(`\r${fitting}`)
    lastLine = fitting
  }
  show()
  return {
    step() {
      done++
      show()
    },
    end: () => terminal.err(CLEAR_LINE),
  }
}

function lines(terminal: Terminal, total: number, noun: string): ProgressBar {
  let done = 0
  return {
    step() {
      done++
      if (Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total)) {
        terminal.err(`${done} of ${total} ${noun}\n`)
      }
    },
    end() {},
  }
}
