import { describePrice } from '../contract/credits.ts'
import { errorTable, ownErrors, type ErrorCode } from '../contract/errors.ts'
import { jsonElementLimit } from '../contract/bounded-json.ts'
import { acceptedFileKinds, probesFiles } from '../contract/operation-errors.ts'
import { type Operation, operationBodyBytes } from '../contract/operation.ts'
import { commonErrors, defaultBodyBytes } from '../contract/route.ts'
import { endpoints } from '../contract/routes.ts'
import { allTools } from '../mcp/tool-selection.ts'
import { markdownTable } from '../platform/text-formats.ts'
import { packDownloadBytes, modelFiles } from '../engines/packs/machine.ts'
import { manifest, automaticBelowBytes, type Artifact, type Pack } from '../engines/packs/manifest.ts'
import { describeSize } from '../contract/format.ts'
import { settingDescriptions, environmentOnlySettings } from '../config/settings.ts'

/** Operations with their prices; free helper operations come last. */
export function operationsTable(operations: readonly Operation[]): string {
  const helpers = operations.filter(({ price }) => price.credits === 0)
  const sorted = [...operations.filter((one) => !helpers.includes(one)), ...helpers]
  return markdownTable(
    ['Tool', 'What it does', 'Price'],
    sorted.map(({ name, description, price }) => [
      toolLink(name),
      firstSentence(description),
      describePrice(price),
    ]),
  )
}

/** Link to a tool on the page of all tools. */
function toolLink(name: string): string {
  return `[\`${name}\`](docs/tools.md#${name})`
}

function firstSentence(text: string): string {
  return text.replace(/\.\s[^]*$/, '.')
}

/** Tools other than operations. */
export function toolsTable(): string {
  const tools = [...allTools([]).values()]
  return markdownTable(
    ['Tool', 'What it does'],
    tools.map(({ definition: { name, description } }) => [toolLink(name), firstSentence(description)]),
  )
}

/** All error codes. */
export function errorsTable(): string {
  return markdownTable(
    ['Code', 'HTTP', 'Meaning', 'Retryable', 'What to do'],
    Object.entries(errorTable).map(([code, row]) => [
      code,
      String(row.status),
      row.meaning,
      row.retryable ? 'yes' : 'no',
      row.hint,
    ]),
  )
}

/** All endpoints with their error codes. */
export function endpointsTable(): string {
  const rows = Object.values(endpoints).map(({ method, path, summary, errors, open }) => [
    `\`${method} ${path}\``,
    `${summary}${open ? '; needs no key' : ''}`,
    errors.join(', '),
  ])
  return markdownTable(['Endpoint', 'What it does', 'Codes'], [...rows, ['any', '', commonErrors.join(', ')]])
}

/** Limits of JSON bodies: those of operations, largest first, then those of other endpoints. */
export function bodyLimitsTable(operations: readonly Operation[]): string {
  const defaultBytes = operationBodyBytes()
  const own = operations.filter((one) => operationBodyBytes(one) !== defaultBytes)
  const rows: (readonly [string, number])[] = [
    ...own
      .map((one) => [`\`POST /task/${one.name}\`, also \`/quote\``, operationBodyBytes(one)] as const)
      .toSorted(([, one], [, other]) => other - one),
    ['`POST /task/{task_type}` of other task types', defaultBytes],
    ...Object.values(endpoints).flatMap(({ method, path, maxBodyBytes }) =>
      maxBodyBytes === undefined ? [] : [[`\`${method} ${path}\``, maxBodyBytes] as const],
    ),
    ['other endpoints', defaultBodyBytes],
  ]
  return markdownTable(
    ['Request', 'Largest body', 'Values and keys'],
    rows.map(([request, bytes]) => [
      request,
      describeSize(bytes),
      jsonElementLimit(bytes).toLocaleString('en-US'),
    ]),
  )
}

/** Error codes beyond the contract. */
export function ownErrorsTable(): string {
  return markdownTable(
    ['Code', 'HTTP', 'Meaning'],
    Object.entries(ownErrors).map(([code, { status, meaning }]) => [code, String(status), meaning]),
  )
}

/** The code that each operation returns for an error of its files or of credits; `-` where the error cannot occur. */
export function operationErrorsTable(operations: readonly Operation[]): string {
  const rows = operations.map((operation) => {
    const { name, input, price, errorAliases } = operation
    const codes = (possible: boolean, listed: readonly ErrorCode[]) =>
      listed.map((code) => (possible ? String(errorAliases?.[code] ?? code) : '-'))
    return [
      `\`${name}\``,
      ...codes(acceptedFileKinds(input).size > 0, [6004, 6014]),
      ...codes(probesFiles(operation), [6017, 6021]),
      ...codes(price.credits > 0, [6201, 6202]),
    ]
  })
  const errors = ['File not found', 'Other kind of file', 'Damaged file', 'No decodable frame']
  return markdownTable(['Operation', ...errors, 'Quota too small', 'Balance too small'], rows)
}

/** All models and engines. */
export function packsTable(): string {
  const packs: readonly (readonly [string, Pack])[] = Object.entries(manifest)
  return markdownTable(
    ['Name', 'What', 'For', 'Licence', 'Size', 'Memory', 'Installation', 'Files and SHA-256'],
    packs.map(([name, pack]) => [
      `\`${name}\``,
      pack.title,
      pack.enables,
      pack.licence,
      pack.kind === 'own' ? '' : describeSize(maxDownloadBytes(pack)),
      pack.kind === 'own' ? '' : `${pack.memory} MiB`,
      describeInstallation(pack),
      allPackFiles(pack)
        .map(({ file, sha256 }) => `\`${file}\` \`${sha256}\``)
        .join('<br>'),
    ]),
  )
}

function describeInstallation(pack: Pack): string {
  if (pack.kind === 'own') return 'you provide it'
  if (maxDownloadBytes(pack) < automaticBelowBytes) return 'automatic, on first use'
  const isOptional = pack.kind === 'model' && pack.optional === true
  return isOptional ? 'optional, `reelwright models pull`' : '`reelwright setup`'
}

/** Files of a pack for all platforms. */
function allPackFiles(pack: Pack): readonly Artifact[] {
  if (pack.kind === 'own') return []
  return pack.kind === 'model' ? modelFiles(pack) : pack.packages.map(({ artifact }) => artifact)
}

/** Largest download of a pack over all platforms, bytes. */
function maxDownloadBytes(pack: Pack): number {
  const machines = pack.kind === 'engine' ? (pack.builds ?? ['']) : ['']
  return Math.max(...machines.map((machine) => packDownloadBytes(pack, machine)))
}

/** All settings. */
export function settingsTable(): string {
  const rows = Object.values(environmentOnlySettings).map((setting) => ({ ...setting, name: undefined }))
  return markdownTable(
    ['Variable', 'In the file', 'Default', 'Meaning'],
    [...rows, ...settingDescriptions].map(({ name, variable, byDefault, meaning }) => [
      variable === undefined ? '' : `\`${variable}\``,
      name === undefined ? '' : `\`${name}\``,
      byDefault,
      meaning,
    ]),
  )
}
