import { delimiter } from 'node:path'
import type { Environment } from './config.ts'
import { settingDescriptions } from './settings.ts'

/** Treats a blank variable as unset, and also a placeholder `${NAME}` that a client has not filled in. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' || /^\$\{.*\}$/.test(value) ? undefined : value
}

/** Settings given as environment variables. Values are not validated yet. */
export function readVariables(environment: Environment): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const { name, variable } of settingDescriptions) {
    const value = variable === undefined ? undefined : nonEmpty(environment[variable])
    if (value === undefined) continue
    given[name] = (variableParsers[name] ?? String)(value)
  }
  return given
}

/** Parsers of variables other than text. */
const variableParsers: Readonly<Record<string, (value: string) => unknown>> = {
  allowed_dirs: (value) => value.split(delimiter).filter(Boolean),
  toolsets: parseList,
  tools: parseList,
  port: Number,
  confirm_above_credits: Number,
  read_only: parseBoolean,
  allow_urls: parseBoolean,
  pull_models: parseBoolean,
  allow_query_authorization: parseBoolean,
}

/** Parses a comma-separated list. */
export function parseList(value: string): string[] {
  return value.split(',').flatMap((item) => item.trim() || [])
}

/** Parses a boolean; leaves other values for the schema to reject. */
function parseBoolean(value: string): unknown {
  return { true: true, '1': true, false: false, '0': false }[value] ?? value
}
