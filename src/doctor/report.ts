import { open } from 'node:fs/promises'
import { arch, availableParallelism, release, totalmem, type as system } from 'node:os'
import { MediaError } from '../contract/errors.ts'
import { daemonLogPath } from '../daemon/launch.ts'
import { describeFindings, type Finding } from './finding.ts'
import { createRedactor, type PrivateData, redactLogNames } from './redact-report.ts'
import { describeService, type ServiceAddress, type ReportSection } from './service-state.ts'

/** Contents of a report. */
export interface ReportOptions {
  readonly version: string
  readonly dataDir: string
  readonly findings: readonly Finding[]
  /** Settings that were set, by name in the file. Undefined if they cannot be read. */
  readonly settings: Readonly<Record<string, unknown>> | undefined
  /** Names of the environment variables that are set and take effect. */
  readonly variables: readonly string[]
  /** Address of a remote service. Undefined for the local one. */
  readonly service: ServiceAddress | undefined
  readonly privacy: PrivateData
  /** Keep the names of files and folders, and the messages that may contain them. */
  readonly withNames: boolean
}

/** Length of the log tail in a report, bytes. */
const logTailBytes = 512 * 1024

/** Creates a diagnostic report without keys, and without file names unless `withNames` is set. Starts nothing. */
export async function createReport(subject: ReportOptions): Promise<ReportSection[]> {
  const { version, dataDir, findings, settings, variables, withNames } = subject
  const log = await readLogTail(daemonLogPath(dataDir)).then(
    (text) => (withNames ? text : redactLogNames(text)),
    (error: NodeJS.ErrnoException) => `cannot be read (${error.code})`,
  )
  const sections: ReportSection[] = [
    { title: 'Versions', text: versions(version) },
    { title: 'Doctor', text: describeFindings(findings) },
    { title: 'Settings', text: describeSettings(settings, variables) },
    ...(await describeService(subject)),
    { title: 'End of the log of the local service', text: log },
  ]
  const redactText = createRedactor(withNames ? { ...subject.privacy, places: [] } : subject.privacy)
  return sections.map(({ title, text }) => ({ title, text: redactText(text).trimEnd() }))
}

/** Writes a report as a text file. Throws 6016 if the file exists or cannot be written. */
export async function writeReport(path: string, sections: readonly ReportSection[]): Promise<void> {
  const text = sections.map((section) => `== ${section.title} ==\n\n${section.text}\n`).join('\n')
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? `${path} already exists` : message
    throw new MediaError(6016, `the report cannot be written: ${why}`, {
      cause: error,
      hint: 'Name another file with --output.',
    })
  }
}

function versions(version: string): string {
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB`
  return [
    `reelwright ${version}`,
    `Node ${process.versions.node} (SQLite ${process.versions['sqlite'] ?? 'unknown'})`,
    `${system()} ${release()} ${arch()}, ${availableParallelism()} cores, ${memory}`,
    `written ${new Date().toISOString()}`,
  ].join('\n')
}

/** Column width, characters: wider than every setting's name. */
const nameWidth = 28

/** Lists settings. Shows numbers and switches; all other values only as "set". */
function describeSettings(settings: ReportOptions['settings'], variables: readonly string[]): string {
  const lines = Object.entries(settings ?? {}).map(
    ([name, value]) => `${name.padEnd(nameWidth)}${describeValue(value)}`,
  )
  const whence = `\nVariables of the environment: ${variables.join(', ') || 'none'}`
  const none = settings ? 'none is set' : 'they are invalid'
  return [...(lines.length > 0 ? lines : [none]), whence].join('\n')
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} set`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'set'
}

/** Reads the end of a log, including the rotated one. The text starts with a complete line. */
async function readLogTail(path: string): Promise<string> {
  const now = await readFileTail(path)
  const before = now.length < logTailBytes ? await readFileTail(`${path}.1`) : ''
  const text = before + now
  const end = text.slice(-logTailBytes)
  return end === text ? text : end.slice(end.indexOf('\n') + 1)
}

async function readFileTail(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    const from = Math.max(0, size - logTailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    throw error
  }
}
