import type * as z from 'zod'
import type { Enumerations, Enums } from '../contract/catalog.ts'
import { errorTable } from '../contract/errors.ts'
import { extensionsByKind } from '../contract/file-kind.ts'
import { innerSchemas, jsonSchemaOf, type JsonSchema } from '../contract/json-schema.ts'
import type { Operation } from '../contract/operation.ts'
import { endpoints } from '../contract/routes.ts'
import { isTerminal, priorities, taskStates } from '../contract/task.ts'

/** Every enumeration of the interface, found in the schemas that handlers read and answer by. */
export function listEnumerations(operations: readonly Operation[]): Enums {
  return {
    operations: Object.fromEntries(
      operations.map(({ name, input, output }) => [
        name,
        { input: enumerationsOf(input, 'input'), output: enumerationsOf(output, 'output') },
      ]),
    ),
    endpoints: Object.fromEntries(enumeratingEndpoints()),
    task_states: [...taskStates],
    terminal_task_states: taskStates.filter(isTerminal),
    priorities: [...priorities],
    extensions: Object.fromEntries(Object.entries(extensionsByKind).map(([kind, all]) => [kind, [...all]])),
    errors: Object.entries(errorTable).map(([code, row]) => ({ code: Number(code), ...row })),
  }
}

/** The endpoints that have enumerated fields. */
function* enumeratingEndpoints(): Generator<[string, Enums['endpoints'][string]]> {
  for (const route of Object.values(endpoints)) {
    const found = {
      query: enumerationsOf(route.query, 'input'),
      body: enumerationsOf(route.body, 'input'),
      data: enumerationsOf('data' in route ? route.data : undefined, 'output'),
    }
    const any = Object.values(found).some((fields) => Object.keys(fields).length > 0)
    if (any) yield [`${route.method} ${route.path}`, found]
  }
}

/** Values of the enumerated fields of a schema by their place, such as `clips[].fit_mode`. */
export function enumerationsOf(schema: z.ZodType | undefined, io: 'input' | 'output'): Enumerations {
  const found: Enumerations = {}
  if (schema) collect(jsonSchemaOf(schema, io), '', found)
  return found
}

function collect(schema: JsonSchema, place: string, found: Enumerations): void {
  const values = (schema.enum ?? [schema.const]).filter((value) => value !== null && value !== undefined)
  // What is one value as a whole has no fields.
  if (place !== '' && values.length > 0) found[place] = [...new Set([...(found[place] ?? []), ...values])]
  for (const { inner, step } of innerSchemas(schema))
    collect(inner, `${place}${step}`.replace(/^\./, ''), found)
}
