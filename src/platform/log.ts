import { pino, type Logger } from 'pino'

interface LogOptions {
  /** A file to append to; left out, stderr. Never stdout: that belongs to the MCP protocol. */
  readonly file?: string
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

// In JSON at any depth, in lists of raw headers, in JSON quoted inside a message, and in addresses.
const secretField = /("(?:authorization|api[_-]?key)\\*"\s*[:,]\s*\[?\\*")[^"\\]*/gi
const secretParameter = /([?&](?:authorization|api[_-]?key|sign|ticket)=)[^&\s"\\#]*/gi

/** Blanks API keys and signatures in one written line. */
export function redact(line: string): string {
  return line.replace(secretField, '$1[redacted]').replace(secretParameter, '$1[redacted]')
}

/** Opens the process's log: JSON lines without keys. A task's lines come from `log.child({ task_id })`. */
export function openLog({ file, level = 'info' }: LogOptions = {}): Logger {
  const destination = pino.destination({ dest: file ?? 2, sync: true, mkdir: true, mode: 0o600 })
  return pino(
    { level, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    destination,
  )
}
