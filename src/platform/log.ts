import { copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Logger, pino } from 'pino'

interface LogOptions {
  /** A file to append to; left out, stderr. Never stdout: that belongs to the MCP protocol. */
  readonly file?: string | undefined
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Shorter ones are also words. */
const minSecretLength = 8

/** What may be kept for a stderr that takes nothing at the moment, bytes. */
const maxBufferedBytes = 2 ** 20

const secrets = new Set<string>()

/** Has a secret of this process blanked wherever it is logged from now on. */
export function registerSecret(secret: string): void {
  if (secret.length < minSecretLength) return
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    secrets.add(form)
}

const secretNames =
  '(?:proxy-)?authorization|(?:set-)?cookie|api[_-]?key|password|secret|sign|signature|ticket|token'
const plainSecretNames = '(?:proxy-)?authorization|(?:set-)?cookie|api[_-]?key|password'

/** Where secrets stand behind their names: `$1` is what stays. */
const secretPatterns = [
  // JSON at any depth, and lists of raw headers.
  String.raw`("(?:${secretNames})"\s*[:,]\s*\[?")(?:[^"\\]|\\.)*`,
  // JSON inside a string.
  String.raw`(\\+"(?:${secretNames})\\+"\s*[:,]\s*\[?\\+")[^"\\]*`,
  // Addresses.
  String.raw`([?&](?:${secretNames})=)[^&\s"\\#]*`,
  // Objects as Node prints them, headers as they are sent.
  String.raw`(\b(?:${plainSecretNames})'?\s*[:=]\s*')[^'\n]*`,
  String.raw`(\b(?:${plainSecretNames})\s*[:=]\s*(?:(?:basic|bearer)\s+)?)[^\s'"\x60\\,;&)}\]]+`,
].map((pattern) => new RegExp(pattern, 'gi'))

/** User and password of an address, which may hold an @ of their own. */
const userInAddress = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'`<>\\]*@/gi

/** Our own keys, by their prefix. */
const ownKey = /\brw_[\w-]{20,}/g

/** Blanks keys, tickets, signatures and passwords in a text. */
export function redact(text: string): string {
  const behindNames = secretPatterns.reduce((left, pattern) => left.replace(pattern, '$1[redacted]'), text)
  const known = [...secrets].reduce((left, secret) => left.replaceAll(secret, '[redacted]'), behindNames)
  return known.replaceAll(userInAddress, '$1[redacted]@').replaceAll(ownKey, '[redacted]')
}

/** What terminals obey: controls but tab and line feed, line and paragraph separators, marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacters = /[\0-\b\v-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Writes what a terminal would obey as JSON escapes it; JSON itself leaves many of them as they are. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    controlCharacters,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Opens the process's log: JSON lines without secrets. A task's lines come from `log.child({ task_id })`. */
export function openLog({ file, level = 'info' }: LogOptions = {}): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => escapeControls(redact(line)) },
    },
    file === undefined ? stderrDestination() : openLogFile(file),
  )
}

function stderrDestination() {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxBufferedBytes })
  // A full disk or a terminal that went must not end the service; without a listener they would.
  destination.on('error', () => undefined)
  return destination
}

/** A log file and the one before it take at most twice this, bytes. */
const maxLogBytes = 8 * 2 ** 20

/**
 * Puts what a log file holds aside as `<path>.1` when it has grown too large. The file is emptied
 * in place: whoever else writes to it, such as a process whose stderr it is, goes on in it.
 */
export function rotateLogFile(fd: number, path: string, limit = maxLogBytes): void {
  if (fstatSync(fd).size <= limit) return
  try {
    copyFileSync(path, `${path}.1`)
  } catch {
    // On a full disk the old lines are given up rather than the bound.
  }
  ftruncateSync(fd)
}

/** Where log lines go. */
export interface LogFile {
  write(line: string): void
}

/**
 * Opens a file to append log lines to, for this user's eyes alone and bounded in size. A line that
 * cannot be written is lost: a full disk must not end the service.
 */
export function openLogFile(path: string, limit = maxLogBytes): LogFile {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'a', 0o600)
  return {
    write(line) {
      try {
        writeSync(fd, line)
        rotateLogFile(fd, path, limit)
      } catch {
        // There is nowhere to tell it.
      }
    },
  }
}
