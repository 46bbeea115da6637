/*
 * Dice that fall the same way for the same seed (SplitMix64), so that every run has the same
 * customers with the same wishes.
 */
#ifndef DICE_H
#define DICE_H

#include <stdint.h>

struct dice {
    uint64_t state; /* the seed */
};

/* 0 … sides - 1 */
static inline uint32_t dice_roll(struct dice *dice, uint32_t sides)
{
    uint64_t mixed = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((mixed >> 32) * sides) >> 32);
}

#endif
