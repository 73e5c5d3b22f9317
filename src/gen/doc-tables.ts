import { describePrice } from '../contract/credits.ts'
import { errorTable, ownErrors } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'
import { commonErrors } from '../contract/route.ts'
import { endpoints } from '../contract/routes.ts'
import { allTools } from '../mcp/tool-selection.ts'
import { markdownTable } from '../platform/text-formats.ts'
import { packDownloadBytes, modelFiles } from '../engines/packs/machine.ts'
import { manifest, automaticBelowBytes, type Artifact, type Pack } from '../engines/packs/manifest.ts'
import { describeSize } from '../contract/format.ts'
import { settingDescriptions, environmentOnlySettings } from '../config/settings.ts'

/** Every operation with its price; those that help with others, and cost nothing, come last. */
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

/** A tool in the page of all tools. */
function toolLink(name: string): string {
  return `[\`${name}\`](docs/tools.md#${name})`
}

function firstSentence(text: string): string {
  return text.replace(/\.\s[^]*$/, '.')
}

/** The tools beside the operations. */
export function toolsTable(): string {
  const tools = [...allTools([]).values()]
  return markdownTable(
    ['Tool', 'What it does'],
    tools.map(({ definition: { name, description } }) => [toolLink(name), firstSentence(description)]),
  )
}

/** The codes of the contract. */
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

/** Every endpoint, with its codes. */
export function endpointsTable(): string {
  const rows = Object.values(endpoints).map(({ method, path, summary, errors, open }) => [
    `\`${method} ${path}\``,
    `${summary}${open ? '; needs no key' : ''}`,
    errors.join(', '),
  ])
  return markdownTable(['Endpoint', 'What it does', 'Codes'], [...rows, ['any', '', commonErrors.join(', ')]])
}

/** The codes beyond the contract. */
export function ownErrorsTable(): string {
  return markdownTable(
    ['Code', 'HTTP', 'Meaning'],
    Object.entries(ownErrors).map(([code, { status, meaning }]) => [code, String(status), meaning]),
  )
}

/** Every model and engine. */
export function packsTable(): string {
  const packs: readonly (readonly [string, Pack])[] = Object.entries(manifest)
  return markdownTable(
    ['Name', 'What', 'For', 'Licence', 'Size', 'Memory', 'How it comes', 'Files and SHA-256'],
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
  if (pack.kind === 'own') return 'you bring it'
  if (maxDownloadBytes(pack) < automaticBelowBytes) return 'by itself, at first use'
  const isOptional = pack.kind === 'model' && pack.optional === true
  return isOptional ? '`reelwright models pull`, if you want it' : '`reelwright setup`'
}

/** The files of a pack for all machines. */
function allPackFiles(pack: Pack): readonly Artifact[] {
  if (pack.kind === 'own') return []
  return pack.kind === 'model' ? modelFiles(pack) : pack.packages.map(({ artifact }) => artifact)
}

/** Bytes that travel for a pack to the machine that needs most. */
function maxDownloadBytes(pack: Pack): number {
  const machines = pack.kind === 'engine' ? (pack.builds ?? ['']) : ['']
  return Math.max(...machines.map((machine) => packDownloadBytes(pack, machine)))
}

/** Every setting. */
export function settingsTable(): string {
  const rows = Object.values(environmentOnlySettings).map((told) => ({ ...told, name: undefined }))
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
