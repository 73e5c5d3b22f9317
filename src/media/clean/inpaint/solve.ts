/**
 * Solves a symmetric positive system of `count` unknowns, rows in turn, by Cholesky's way, in place; what is to be
 * found replaces `right`. False where the system has no single solution.
 */
export function solve(matrix: Float64Array, right: Float64Array, count: number): boolean {
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * count + column] ?? 0
      for (let k = 0; k < column; k += 1) {
        sum -= (matrix[row * count + k] ?? 0) * (matrix[column * count + k] ?? 0)
      }
      if (row !== column) matrix[row * count + column] = sum / (matrix[column * count + column] ?? 1)
      else if (sum > 1e-9) matrix[row * count + row] = Math.sqrt(sum)
      else return false
    }
  }
  for (let row = 0; row < count; row += 1) {
    let sum = right[row] ?? 0
    for (let k = 0; k < row; k += 1) sum -= (matrix[row * count + k] ?? 0) * (right[k] ?? 0)
    right[row] = sum / (matrix[row * count + row] ?? 1)
  }
  for (let row = count - 1; row >= 0; row -= 1) {
    let sum = right[row] ?? 0
    for (let k = row + 1; k < count; k += 1) sum -= (matrix[k * count + row] ?? 0) * (right[k] ?? 0)
    right[row] = sum / (matrix[row * count + row] ?? 1)
  }
  return true
}
