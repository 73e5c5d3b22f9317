import { copyFileSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Logger, pino } from 'pino'
import { secretForms } from './secret-forms.ts'

interface LogOptions {
  /** A file to append to; stderr by default. Never stdout, which carries the MCP protocol. */
  readonly file?: string | undefined
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Shorter secrets are not redacted: they may be ordinary words. */
const minSecretLength = 8

/** Most bytes buffered while stderr is blocked. */
const maxBufferedBytes = 2 ** 20

const secrets = new Set<string>()

/** Redacts a secret, in every usual encoding, in all log lines from now on. */
export function registerSecret(secret: string): void {
  if (secret.length < minSecretLength) return
  for (const form of secretForms(secret)) secrets.add(form)
}

const secretNames =
  '(?:proxy-)?authorization|(?:set-)?cookie|api[_-]?key|password|secret|sign|signature|ticket|token'
const plainSecretNames = '(?:proxy-)?authorization|(?:set-)?cookie|api[_-]?key|password'

/** Secrets that follow their names; `$1` is the part that is kept. */
const secretPatterns = [
  // JSON at any depth, and lists of raw headers.
  String.raw`("(?:${secretNames})"\s*[:,]\s*\[?")(?:[^"\\]|\\.)*`,
  // JSON inside a string.
  String.raw`(\\+"(?:${secretNames})\\+"\s*[:,]\s*\[?\\+")[^"\\]*`,
  // Addresses.
  String.raw`([?&](?:${secretNames})=)[^&\s"\\#]*`,
  // Objects in the format of Node, and plain headers.
  String.raw`(\b(?:${plainSecretNames})'?\s*[:=]\s*')[^'\n]*`,
  String.raw`(\b(?:${plainSecretNames})\s*[:=]\s*(?:(?:basic|bearer)\s+)?)[^\s'"\x60\\,;&)}\]]+`,
].map((pattern) => new RegExp(pattern, 'gi'))

/** User and password of a URL, which may contain an @. */
const userInAddress = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'`<>\\]*@/gi

/** Our own keys, by their prefix. */
const ownKey = /\brw_[\w-]{20,}/g

/** Redacts keys, tickets, signatures and passwords in a text. */
export function redact(text: string): string {
  const behindNames = secretPatterns.reduce((left, pattern) => left.replace(pattern, '$1[redacted]'), text)
  const known = [...secrets].reduce((left, secret) => left.replaceAll(secret, '[redacted]'), behindNames)
  return known.replaceAll(userInAddress, '$1[redacted]@').replaceAll(ownKey, '[redacted]')
}

/** Characters that control terminals: control characters except tab and line feed, separators, text direction marks. */
// oxlint-disable-next-line no-control-regex -- the pattern matches them
const controlCharacters = /[\0-\b\v-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Escapes terminal control characters as JSON does, including those that JSON.stringify does not escape. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    controlCharacters,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Opens the log of this process: JSON lines, secrets redacted. Lines of a task use `log.child({ task_id })`. */
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
  // Without a listener, a full disk or a closed terminal would end the service.
  destination.on('error', () => undefined)
  return destination
}

/** Size at which a log file is rotated, bytes. */
const maxLogBytes = 8 * 2 ** 20

/**
 * Copies a log file above the size limit to `<path>.1` and truncates it in place, so that other writers, such as a
 * process with this file as stderr, continue in it.
 */
export function rotateLogFile(fd: number, path: string, limit = maxLogBytes): void {
  if (fstatSync(fd).size <= limit) return
  try {
    copyFileSync(path, `${path}.1`)
  } catch {
    // On a full disk, keeping the size limit matters more than old lines.
  }
  ftruncateSync(fd)
}

/** Destination of log lines. */
export interface LogFile {
  write(line: string): void
}

/**
 * Opens a log file for appending, readable by this user alone, rotated by size. Lines that cannot be written are dropped:
 * a full disk must not end the service.
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
