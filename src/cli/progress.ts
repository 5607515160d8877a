import type { Terminal } from './command.ts'

/** Shows how far a task has come: a bar on a terminal, a line for every tenth of it elsewhere. */
export interface Progress {
  /** One more is done. */
  step(): void
  /** Removes the bar, so that what follows begins on a line of its own. */
  end(): void
}

const WIDTH = 30

/** Progress over `total` steps, named by what they are, such as `pages`. */
export function createProgress(terminal: Terminal, total: number, noun: string): Progress {
  return terminal.columns === undefined
    ? lines(terminal, total, noun)
    : bar(terminal, terminal.columns, total, noun)
}

function bar(terminal: Terminal, columns: number, total: number, noun: string): Progress {
  let done = 0
  let shown = ''
  const show = () => {
    const share = total === 0 ? 1 : done / total
    const filled = Math.floor(share * WIDTH)
    const line = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${total} ${noun} ${Math.floor(share * 100)}%`
    // A line that wraps could not be taken back.
    const fitting = line.slice(0, Math.max(columns - 1, 0))
    if (fitting !== shown) terminal.err(`\r${fitting}`)
    shown = fitting
  }
  show()
  return {
    step() {
      done++
      show()
    },
    end: () => terminal.err('\r\u001b[K'),
  }
}

function lines(terminal: Terminal, total: number, noun: string): Progress {
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
