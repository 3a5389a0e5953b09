// Sums of products in the compiler's own vectors: as quick in a debug build as in a release, where Swift's are a hundred times slower.
#pragma once

typedef float sotto_vector __attribute__((vector_size(32), aligned(4)));

// result[row] += sum over columns of matrix[row][column] * vector[column]; columns is a multiple of 8.
static inline void sotto_add_product(const float *matrix, long rows, long columns, const float *vector, float *result) {
    for (long row = 0; row < rows; row++) {
        const float *weights = matrix + row * columns;
        // Two sums, so that one addition need not wait for the other.
        sotto_vector first = {0}, second = {0};
        long column = 0;
        for (; column + 16 <= columns; column += 16) {
            first += *(const sotto_vector *)(weights + column) * *(const sotto_vector *)(vector + column);
            second += *(const sotto_vector *)(weights + column + 8) * *(const sotto_vector *)(vector + column + 8);
        }
        if (column < columns) first += *(const sotto_vector *)(weights + column) * *(const sotto_vector *)(vector + column);
        first += second;
        result[row] += ((first[0] + first[1]) + (first[2] + first[3])) + ((first[4] + first[5]) + (first[6] + first[7]));
    }
}
